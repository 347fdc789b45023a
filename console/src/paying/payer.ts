import { type ApiFailure, callRpc } from '../api.ts';
import { exactText, readUsd } from '../money.ts';

/** The most that one token can spend. */
const tokenCapUsd = '1.00';
/** The same for reading. */
export const tokenCapText = (): string => exactText(readUsd(tokenCapUsd) ?? 0n);
/** How long one works. */
export const tokenSeconds = 600;
/** One that ends sooner than this is replaced before it is used. */
const sparedMs = 60_000;

type Scope = 'chat' | 'workflows';

/** Pays for what a page tries: short-lived, capped tokens of one API key. They are in this closure's memory and nowhere else. */
export interface Payer {
  readonly keyId: string;
  /** A token that works for a minute or more. Throws an `ApiFailure`. */
  token(): Promise<string>;
  /** The header that pays. Throws an `ApiFailure`. */
  headers(): Promise<{ authorization: string }>;
  /** Ends the token, and within a second whatever it pays for: what came of a reply is charged, the rest is not made. */
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
  // A cap counts all tokens of one name together.
  let subject = newSubject();
  let held: Promise<Held> | undefined;
  /** A stream may still run on one that was replaced since. */
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

/** One payer for each key and name: what was asked through it before is known as its own. */
export function createPayers(scopes: readonly Scope[]): (keyId: string, name?: string) => Payer {
  const payers = new Map<string, Payer>();
  return (keyId, name = '') => {
    const payer = payers.get(`${keyId} ${name}`) ?? createPayer(keyId, scopes);
    payers.set(`${keyId} ${name}`, payer);
    return payer;
  };
}

/** Whether the payer's own cap is what refused, and not the wallet or the key. */
export function isTokenCapReached(failure: ApiFailure | undefined): boolean {
  return failure?.reason === 'SPENDING_CAP_REACHED';
}

function newSubject(): string {
  return `console-${crypto.randomUUID().slice(0, 13)}`;
}
