import { type ApiFailure, callRpc } from '../api.ts';
import { exactText, readUsd } from '../money.ts';

/** The most that one token can spend. */
const tokenCapUsd = '1.00';
/** The same for display. */
export const tokenCapText = (): string => exactText(readUsd(tokenCapUsd) ?? 0n);
/** How long a token works. */
export const tokenSeconds = 600;
/** A token that expires sooner than this is replaced before it is used. */
const sparedMs = 60_000;

type Scope = 'chat' | 'workflows';

/** Pays for a page's requests: short-lived, capped tokens of one API key. They exist only in this closure's memory. */
export interface Payer {
  readonly keyId: string;
  /** A token that is valid for at least a minute. Throws an `ApiFailure`. */
  token(): Promise<string>;
  /** The header with a token. Throws an `ApiFailure`. */
  headers(): Promise<{ authorization: string }>;
  /** Revokes the token, and within a second ends whatever it pays for: what a reply delivered is charged, the rest is not generated. */
  stop(): Promise<void>;
  /** The next token may spend as much again. */
  allowMore(): void;
}

interface Held {
  token: string;
  tokenId: string;
  endsAt: number;
}

function createPayer(keyId: string, scopes: readonly Scope[]): Payer {
  // A cap counts all tokens of one subject together.
  let subject = newSubject();
  let held: Promise<Held> | undefined;
  /** A stream may still use a token that has been replaced since. */
  let minted: Held[] = [];

  async function mint(): Promise<Held> {
    const request = { keyId, subject, scopes: [...scopes], ttlSeconds: tokenSeconds, spendingCapUsd: tokenCapUsd };
    const { accessToken = '', tokenId = '', expireTime = '' } = await callRpc('TokenService.CreateToken', request);
    const made = { token: accessToken, tokenId, endsAt: Date.parse(expireTime) };
    minted = [...minted.filter(({ endsAt }) => endsAt > Date.now()), made];
    return made;
  }

  function working(): Promise<Held> {
    const before = held;
    held = (async () => {
      const now = await before?.catch(() => undefined);
      return now && now.endsAt - Date.now() >= sparedMs ? now : mint();
    })();
    return held;
  }

  const token = async () => (await working()).token;
  return {
    keyId,
    token,
    headers: async () => ({ authorization: `Bearer ${await token()}` }),
    async stop() {
      await held?.catch(() => undefined);
      held = undefined;
      const ended = minted;
      minted = [];
      await Promise.all(ended.map(({ tokenId }) => callRpc('TokenService.RevokeToken', { tokenId })));
    },
    allowMore() {
      subject = newSubject();
      held = undefined;
    },
  };
}

/** One payer per key and name, so that it recognises its earlier requests as its own. */
export function createPayers(scopes: readonly Scope[]): (keyId: string, name?: string) => Payer {
  const payers = new Map<string, Payer>();
  return (keyId, name = '') => {
    const payer = payers.get(`${keyId} ${name}`) ?? createPayer(keyId, scopes);
    payers.set(`${keyId} ${name}`, payer);
    return payer;
  };
}

/** Whether the refusal came from the payer's own cap, and not from the wallet or the key. */
export function isTokenCapReached(failure: ApiFailure | undefined): boolean {
  return failure?.reason === 'SPENDING_CAP_REACHED';
}

function newSubject(): string {
  return `console-${crypto.randomUUID().slice(0, 13)}`;
}
