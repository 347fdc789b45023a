import { type FetchQueryOptions, useQuery, useQueryClient } from '@tanstack/preact-query';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { type ApiFailure, callConsole, setApiPrefix } from './api.ts';
import { sessionKey } from './query.ts';

/** Who is signed in. */
export interface Session {
  role: 'owner' | 'operator';
  /** The owner's account. */
  accountId?: string;
  accountName?: string;
  /** The operator's name. */
  operator?: string;
  keyId?: string;
  expiresAt: string;
  /** When the key was last shown; irreversible actions need that within ten minutes. */
  confirmedAt?: string;
  /** Whether a passkey can be used in place of the key. */
  hasPasskey: boolean;
  /** The path under which the API answers. */
  apiPrefix: string;
  /** Whether payments are simulated. */
  sandbox: boolean;
}

/** The operator or the account, by its readable name. */
export function nameOf({ role, operator, accountName, accountId }: Session): string {
  return (role === 'operator' ? operator : (accountName ?? accountId)) ?? '';
}

const nameOfAccount = 'console.account';

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

/** Who is signed in; for pages, which only signed-in users see. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session above this');
  return session;
}

/** Requests the session of the cookie; null for a stranger. */
export const sessionQuery: FetchQueryOptions<Session | null, ApiFailure> = {
  queryKey: sessionKey,
  queryFn: async () => taken(await callConsole<Session | null>('GET', '/session')),
  staleTime: Number.POSITIVE_INFINITY,
  // Stays cached even while nothing observes it: the user is still signed in.
  gcTime: Number.POSITIVE_INFINITY,
};

/** The session of the cookie; null for a stranger. */
export function useSessionQuery() {
  return useQuery(sessionQuery);
}

/** A way to sign in: a key, a one-use code, or the answer of a passkey. */
export type SignInBy = { key: string } | { code: string } | { passkey: object };

/** Signs in. Throws an `ApiFailure`. */
export function useSignIn(): (by: SignInBy) => Promise<void> {
  const client = useQueryClient();
  return async (by) => {
    const session = taken(await callConsole<Session>('POST', '/session', by));
    // Data read by another session does not belong to this one.
    client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== sessionKey[0] });
    client.setQueryData(sessionKey, session);
  };
}

/** Signs in with a link's code in place of the current user. The page is reloaded, and keeps nothing of theirs. Throws an `ApiFailure`. */
export async function signInInstead(code: string): Promise<void> {
  taken(await callConsole<Session>('POST', '/session', { code }));
  location.reload();
}

/** Ends the session. The page is reloaded, and keeps nothing of it. */
export async function signOut(): Promise<void> {
  await callConsole('DELETE', '/session');
  taken(null);
  location.assign('/console/');
}

function taken<Of extends Session | null>(session: Of): Of {
  setApiPrefix(session?.apiPrefix ?? '');
  if (session?.accountName) sessionStorage.setItem(nameOfAccount, session.accountName);
  else sessionStorage.removeItem(nameOfAccount);
  return session;
}

/** The account of this tab's last session: a suspended account is told nothing, not even its name. */
export function lastAccountName(): string {
  return sessionStorage.getItem(nameOfAccount) ?? '';
}
