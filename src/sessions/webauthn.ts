import { hash } from 'node:crypto';
import type {
  AuthenticationResponseJSON,
  PublicKeyCredentialCreationOptionsJSON,
  PublicKeyCredentialRequestOptionsJSON,
  RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { z } from 'zod';
import { challengeMs } from './challenges-store.ts';
import { holderColumns } from './holder-columns.ts';
import type { PasskeySite } from './passkey-site.ts';
import type { StoredPasskey } from './passkeys-store.ts';
import type { SessionHolder } from './types.ts';

/** The options for `navigator.credentials.create()`, as JSON. */
export type CreationOptions = PublicKeyCredentialCreationOptionsJSON;
/** The options for `navigator.credentials.get()`, as JSON. */
export type RequestOptions = PublicKeyCredentialRequestOptionsJSON;

/** An authenticator's answer, and the challenge it claims to answer. */
export interface Answer<Response> {
  challenge: string;
  response: Response;
}

/** A new passkey as created by its authenticator. */
export interface NewCredential extends Pick<StoredPasskey, 'credentialId' | 'publicKey' | 'signCount'> {
  multiDevice: boolean;
}

/** COSE: EdDSA, ES256 and RS256, of which every authenticator supports one (WebAuthn Level 3, section 5.4). */
const algorithms = [-8, -7, -257];
const publicKeyBytesMax = 2_048;

const base64url = z.string().regex(/^[A-Za-z0-9_-]+$/);
// A credential id has at most 1,023 bytes (WebAuthn Level 3, section 4).
const credentialId = base64url.max(1_364);
const credential = { id: credentialId, rawId: credentialId, type: z.literal('public-key') };
const assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url,
    authenticatorData: base64url,
    signature: base64url,
    userHandle: z
      .string()
      .regex(/^[A-Za-z0-9_-]*$/)
      .nullish(),
  }),
});
const registration = z.object({
  ...credential,
  response: z.object({ clientDataJSON: base64url, attestationObject: base64url }),
});
const clientData = z.object({ challenge: z.string().max(100), crossOrigin: z.boolean().optional() });

/** Parses the answer to a request; undefined: it is malformed. Nothing in it is verified yet. */
export function readAssertion(json: unknown): Answer<AuthenticationResponseJSON> | undefined {
  const { data } = assertion.safeParse(json);
  const challenge = data && challengeOf(data.response.clientDataJSON);
  if (!data || challenge === undefined) return undefined;
  const { userHandle, ...response } = data.response;
  return {
    challenge,
    response: { ...data, response: { ...response, ...(userHandle && { userHandle }) }, clientExtensionResults: {} },
  };
}

/** Parses a new credential from a browser; undefined: it is malformed. */
export function readRegistration(json: unknown): Answer<RegistrationResponseJSON> | undefined {
  const { data } = registration.safeParse(json);
  const challenge = data && challengeOf(data.response.clientDataJSON);
  return data && challenge !== undefined ? { challenge, response: { ...data, clientExtensionResults: {} } } : undefined;
}

/** The challenge, unless a page embedded in another site's page asked for it. */
function challengeOf(clientDataJSON: string): string | undefined {
  try {
    const { data } = clientData.safeParse(JSON.parse(Buffer.from(clientDataJSON, 'base64url').toString()));
    return data && !data.crossOrigin ? data.challenge : undefined;
  } catch {
    return undefined;
  }
}

/** Throws, with the reason, unless the answer is from this passkey, for this challenge and this site, with user verification. */
export async function verifyAssertion(
  { response, challenge }: Answer<AuthenticationResponseJSON>,
  { passkey, publicKey, credentialId: id, signCount }: StoredPasskey,
  { rpId, origin }: PasskeySite,
): Promise<{ signCount: number }> {
  const { verifyAuthenticationResponse } = await library();
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    ...{ response, expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
    credential: { id, publicKey, counter: signCount },
    requireUserVerification: true,
  });
  if (!verified) throw new Error('The signature is wrong');
  // Backup eligibility never changes (WebAuthn Level 3, section 6.1.3).
  const multiDevice = authenticationInfo.credentialDeviceType === 'multiDevice';
  if (multiDevice !== passkey.multiDevice) throw new Error('Its backup eligibility changed');
  return { signCount: authenticationInfo.newCounter };
}

/** Throws, with the reason, unless the answer is a new credential for this challenge and this site. */
export async function verifyRegistration(
  { response, challenge }: Answer<RegistrationResponseJSON>,
  { rpId, origin }: PasskeySite,
): Promise<NewCredential> {
  const { verifyRegistrationResponse } = await library();
  await refuseCertificates(response.response.attestationObject);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    ...{ response, expectedChallenge: challenge, expectedOrigin: origin, expectedRPID: rpId },
    requireUserVerification: true,
    supportedAlgorithmIDs: algorithms,
  });
  if (!verified) throw new Error('The attestation is wrong');
  const { credential: made, credentialDeviceType } = registrationInfo;
  // The library reads it from the authenticator's data, whatever its length, and does not compare (WebAuthn Level 3, section 7.1).
  if (made.id !== response.id) throw new Error('It has two ids');
  if (made.publicKey.length > publicKeyBytesMax) throw new Error('The public key is too long');
  return {
    ...{ credentialId: made.id, publicKey: new Uint8Array(made.publicKey), signCount: made.counter },
    multiDevice: credentialDeviceType === 'multiDevice',
  };
}

/**
 * Browsers omit attestation that was not requested, except for a signature by the new key itself. The library would verify
 * certificates, and fetch what they refer to.
 */
async function refuseCertificates(attestationObject: string): Promise<void> {
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  const decoded = decodeAttestationObject(new Uint8Array(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  if (format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined)) return;
  throw new Error('It has an attestation that was not asked for');
}

/** Loaded lazily: it costs a quarter of a second and 26 MB, which nodes that see no passkey are spared. */
function library() {
  return import('@simplewebauthn/server');
}

/** The options that ask a browser for a new passkey. `userName` is the name people choose it by. */
export function creationOptions(
  { rpId, origin }: PasskeySite,
  { challenge, holder, userName, others }: NewPasskeyRequest,
): CreationOptions {
  const name = userName.slice(0, 64);
  return {
    challenge,
    rp: { id: rpId, name: 'Intelligence API' },
    user: { id: userHandleOf(origin, holder), name, displayName: name },
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    timeout: challengeMs,
    attestation: 'none',
    authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
    excludeCredentials: others.map((id) => ({ type: 'public-key', id })),
  };
}

export interface NewPasskeyRequest {
  challenge: string;
  holder: SessionHolder;
  userName: string;
  /** The credential ids of the holder's other passkeys, so that no authenticator creates a second one. */
  others: readonly string[];
}

/** The options that ask a browser for a passkey. `allowed`: credential ids; none: any of this site's, chosen by the user. */
export function requestOptions(
  { rpId }: PasskeySite,
  { challenge, allowed }: { challenge: string; allowed: readonly string[] },
): RequestOptions {
  return {
    ...{ challenge, rpId, timeout: challengeMs, userVerification: 'required' },
    allowCredentials: allowed.map((id) => ({ type: 'public-key', id })),
  };
}

/**
 * Identifies a holder to authenticators without revealing anything about it. Always the same, so that a passkey replaces the
 * previous one in its authenticator; different for each origin, because all services on one machine share `localhost`.
 */
export function userHandleOf(origin: string, holder: SessionHolder): string {
  const { role, holder: name } = holderColumns(holder);
  return hash('sha256', JSON.stringify([origin, role, name]), 'base64url');
}
