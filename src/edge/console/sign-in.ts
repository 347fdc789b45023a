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

/** Who signed in as whom, and how long that proof is valid. */
export interface SignedIn {
  holder: SessionHolder;
  until?: number | undefined;
  /** The passkey used. */
  passkey?: PasskeyProof['passkey'];
}

/** A management key or an operator's token, a one-use code, or an authenticator's response. */
export type ShownCredential = { key: string } | { code: string } | { passkey: unknown };

export interface SignIn {
  /** Wrong keys, codes and passkeys count against the address. */
  by(shown: ShownCredential, peer: string): Promise<Result<SignedIn>>;
  /** The holder presents a key, or a passkey, once more to confirm the session. */
  again(session: Session, shown: Exclude<ShownCredential, { code: string }>, peer: string): Promise<Result<SignedIn>>;
}

/** Identifies who signs in. An address gets as many wrong attempts as with any other way in. */
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
      // A replaced secret works for a while longer, but a session that began with it does not.
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

  /** The account's newest active management key: the session ends with it. */
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
