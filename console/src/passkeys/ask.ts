import { callConsole } from '../api.ts';

/** Why there is no passkey: the user chose none, this device already has one, or the browser refuses. */
export type PasskeyProblem = 'none' | 'known' | 'refused';
export type Asked = { answer: object } | { problem: PasskeyProblem };

/** Whether this browser supports passkeys at all, and their JSON (every browser since spring 2025). It has none at IP addresses. */
export function hasPasskeys(): boolean {
  return (
    typeof PublicKeyCredential !== 'undefined' &&
    'parseRequestOptionsFromJSON' in PublicKeyCredential &&
    passkeyAddress() === undefined
  );
}

/** Where this console's passkeys work, when it is opened by the machine's IP address and not by its name. */
export function passkeyAddress(): string | undefined {
  const { protocol, hostname, port } = location;
  if (!/^(?:127(?:\.\d+){3}|\[::1\])$/.test(hostname)) return undefined;
  return `${protocol}//localhost${port === '' ? '' : `:${port}`}/console/`;
}

/** Asks for a passkey to sign in or to confirm. Throws an `ApiFailure`. */
export async function askPasskey(purpose: 'sign-in' | 'confirm'): Promise<Asked> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(await challenge(purpose));
  return await asked(() => navigator.credentials.get({ publicKey }));
}

/** Creates a passkey for the signed-in user. Throws an `ApiFailure`. */
export async function makePasskey(): Promise<Asked> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(await challenge('add'));
  return await asked(() => navigator.credentials.create({ publicKey }));
}

async function challenge<Options>(purpose: string): Promise<Options> {
  return (await callConsole<{ publicKey: Options }>('POST', '/passkeys/challenge', { for: purpose })).publicKey;
}

async function asked(ask: () => Promise<Credential | null>): Promise<Asked> {
  try {
    const credential = await ask();
    return credential ? { answer: (credential as PublicKeyCredential).toJSON() } : { problem: 'none' };
  } catch (thrown) {
    if (!(thrown instanceof DOMException)) throw thrown;
    if (thrown.name === 'InvalidStateError') return { problem: 'known' };
    return { problem: thrown.name === 'NotAllowedError' || thrown.name === 'AbortError' ? 'none' : 'refused' };
  }
}
