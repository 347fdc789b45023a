import type { Accounts } from '../../accounts/index.ts';
import type { Caller } from '../../base/caller.ts';
import { type Failure, fail, type Result, succeed } from '../../base/failure.ts';
import type { Keys } from '../../keys/index.ts';
import type { Limits } from '../../limits/index.ts';
import type { PasskeyProof, Session, SessionHolder, Sessions } from '../../sessions/index.ts';
import type { Authenticate } from '../authenticate.ts';

export interface SignInOptions {
  accounts: Pick<Accounts, 'get'>;
  authenticate: Authenticate;
  keys: Pick<Keys, 'list' | 'validUntil'>;
  limits: Pick<Limits, 'anonymous'>;
  sessions: Pick<Sessions, 'codes' | 'passkeys'>;
}

/** Who proved to be whom, and until when that proof is good. */
export interface SignedIn {
  holder: SessionHolder;
  until?: number | undefined;
  /** By this passkey. */
  passkey?: PasskeyProof['passkey'];
}

/** A management key or an operator's token, a one-use code, or the answer of an authenticator. */
export type ShownCredential = { key: string } | { code: string } | { passkey: unknown };

export interface SignIn {
  /** Wrong keys, codes and passkeys are counted against the address. */
  by(shown: ShownCredential, peer: string): Promise<Result<SignedIn>>;
  /** Who shows a key, or a passkey of the session's holder, once more. */
  again(session: Session, shown: Exclude<ShownCredential, { code: string }>, peer: string): Promise<Result<SignedIn>>;
}

/** Finds out who signs in. An address may be wrong as often as on every other way in. */
export function createSignIn({ authenticate, keys, limits, sessions }: SignInOptions): SignIn {
  const { anonymous } = limits;

  async function limited<T>(peer: string, attempt: () => Promise<Result<T>>): Promise<Result<T>> {
    const mayTry = anonymous.mayTry(peer);
    if (!mayTry.ok) return mayTry;
    const result = await attempt();
    if (result.ok || result.failure.kind !== 'credential_invalid') return result;
    const counted = anonymous.countRefused(peer);
    return counted.ok ? result : counted;
  }

  async function byKey(key: string, peer: string): Promise<Result<SignedIn>> {
    return limited<SignedIn>(peer, async () => {
      const known = await authenticate(`Bearer ${key}`, { peer });
      if (!known.ok) return known;
      const holder = holderOf(known.value);
      if (!holder.ok) return holder;
      // A secret that was replaced works for a while yet, and a session that began with it no longer.
      return succeed({ holder: holder.value, until: keys.validUntil(key) });
    });
  }

  async function byCode(code: string, peer: string): Promise<Result<SignedIn>> {
    return limited<SignedIn>(peer, async () => {
      const redeemed = await sessions.codes.redeem(code);
      if (!redeemed.ok) return redeemed;
      const owner = redeemed.value;
      if ('operator' in owner) return succeed({ holder: { role: 'operator', operator: owner.operator } });
      const keyId = await managementKeyOf(owner.accountId);
      if (keyId === undefined) return fail(noKey);
      return succeed({ holder: { role: 'owner', accountId: owner.accountId, keyId } });
    });
  }

  /** The newest management key of the account that works: its session ends with it. */
  async function managementKeyOf(accountId: string): Promise<string | undefined> {
    let pageToken = '';
    do {
      const page = await keys.list(accountId, { pageSize: 100, pageToken });
      if (!page.ok) return undefined;
      const found = page.value.items.find(({ kind, state }) => kind === 'management' && state === 'active');
      if (found) return found.id;
      pageToken = page.value.nextPageToken;
    } while (pageToken !== '');
    return undefined;
  }

  return {
    by(shown, peer) {
      if ('key' in shown) return byKey(shown.key, peer);
      if ('code' in shown) return byCode(shown.code, peer);
      return limited(peer, () => sessions.passkeys.signIn(shown.passkey));
    },
    again(session, shown, peer) {
      if ('key' in shown) return byKey(shown.key, peer);
      return limited(peer, () => sessions.passkeys.confirm(session, shown.passkey));
    },
  };
}

const noKey: Failure = {
  kind: 'precondition_failed',
  description: 'The account has no working management key, so nobody can sign in for it.',
};

function holderOf({ credential, accountId, key, name }: Caller): Result<SessionHolder> {
  if (credential === 'operator') return succeed({ role: 'operator', operator: name.slice('operator:'.length) });
  if (credential === 'management_key' && accountId !== undefined && key)
    return succeed({ role: 'owner', accountId, keyId: key.id });
  return fail({ kind: 'scope_missing', scope: '', credential });
}
