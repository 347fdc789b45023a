import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Claims in an answer that an honest authenticator and browser would not make. */
export interface Lies {
  origin?: string;
  rpId?: string;
  /** Whether the user was verified. */
  verified?: boolean;
  signCount?: number;
  /** The name under which the passkey is stored, in base64url. */
  userHandle?: string;
  type?: string;
  crossOrigin?: boolean;
  /** Signs with another key. */
  key?: KeyObject;
  backupEligible?: boolean;
  /** The format of an attestation that has certificates. */
  attestation?: string;
  /** The credential id in the authenticator's own data. */
  credentialId?: Buffer;
}

interface CreationJson {
  challenge: string;
  rp: { id?: string };
  user: { id: string };
}
interface RequestJson {
  challenge: string;
  rpId?: string;
}

/** One passkey of a software authenticator with ES256 (WebAuthn Level 3): what its browser sends as JSON. */
export function createAuthenticator(origin: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  let userHandle = '';
  let signCount = 0;

  function clientData(challenge: string, type: string, lies: Lies): Buffer {
    const crossOrigin = lies.crossOrigin ?? false;
    return Buffer.from(
      JSON.stringify({ type: lies.type ?? type, challenge, origin: lies.origin ?? origin, crossOrigin }),
    );
  }

  function authenticatorData(rpId: string, lies: Lies, attested = Buffer.alloc(0)): Buffer {
    const present = 0x01;
    const flags =
      present |
      ((lies.verified ?? true) ? 0x04 : 0) |
      (lies.backupEligible ? 0x08 : 0) |
      (attested.length > 0 ? 0x40 : 0);
    const count = Buffer.alloc(4);
    count.writeUInt32BE(lies.signCount ?? signCount);
    return Buffer.concat([sha256(lies.rpId ?? rpId), Buffer.from([flags]), count, attested]);
  }

  const envelope = { id: credentialId.toString('base64url'), rawId: credentialId.toString('base64url') };

  return {
    credentialId: envelope.id,
    /** The passkey as a browser sends it after `navigator.credentials.create()`. */
    create({ challenge, rp, user }: CreationJson, lies: Lies = {}) {
      userHandle = user.id;
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const cose = map([
        [int(1), int(2)],
        [int(3), int(-7)],
        [int(-1), int(1)],
        [int(-2), bytes(Buffer.from(x, 'base64url'))],
        [int(-3), bytes(Buffer.from(y, 'base64url'))],
      ]);
      const id = lies.credentialId ?? credentialId;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const attested = Buffer.concat([Buffer.alloc(16), length, id, cose]);
      const data = authenticatorData(rp.id ?? '', lies, attested);
      const statement = lies.attestation
        ? map([[text('x5c'), Buffer.concat([head(4, 1), bytes(randomBytes(300))])]])
        : map([]);
      const attestationObject = map([
        [text('fmt'), text(lies.attestation ?? 'none')],
        [text('attStmt'), statement],
        [text('authData'), bytes(data)],
      ]);
      return {
        ...{ ...envelope, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: clientData(challenge, 'webauthn.create', lies).toString('base64url'),
          attestationObject: attestationObject.toString('base64url'),
        },
      };
    },
    /** An answer as a browser sends it after `navigator.credentials.get()`; each increments the counter. */
    get({ challenge, rpId }: RequestJson, lies: Lies = {}) {
      signCount += 1;
      const data = authenticatorData(rpId ?? '', lies);
      const client = clientData(challenge, 'webauthn.get', lies);
      const signature = sign('sha256', Buffer.concat([data, sha256(client)]), lies.key ?? privateKey);
      return {
        ...{ ...envelope, type: 'public-key', clientExtensionResults: {} },
        response: {
          clientDataJSON: client.toString('base64url'),
          authenticatorData: data.toString('base64url'),
          signature: signature.toString('base64url'),
          userHandle: lies.userHandle ?? userHandle,
        },
      };
    },
  };
}

function sha256(data: string | Buffer): Buffer {
  return createHash('sha256').update(data).digest();
}

// CBOR (RFC 8949), as far as an attestation object needs it.
function head(major: number, value: number): Buffer {
  if (value < 24) return Buffer.from([(major << 5) | value]);
  if (value < 256) return Buffer.from([(major << 5) | 24, value]);
  return Buffer.from([(major << 5) | 25, value >> 8, value & 255]);
}
const int = (value: number) => (value < 0 ? head(1, -1 - value) : head(0, value));
const bytes = (value: Buffer) => Buffer.concat([head(2, value.length), value]);
const text = (value: string) => Buffer.concat([head(3, value.length), Buffer.from(value)]);
const map = (entries: [Buffer, Buffer][]) => Buffer.concat([head(5, entries.length), ...entries.flat()]);
