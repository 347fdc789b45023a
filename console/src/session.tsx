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
  /** When the key was last shown; what cannot be taken back needs that within ten minutes. */
  confirmedAt?: string;
  /** Whether a passkey can be shown in place of the key. */
  hasPasskey: boolean;
  /** Under which path the API answers. */
  apiPrefix: string;
  /** Whether payments are simulated. */
  sandbox: boolean;
}

/** The operator, or the account: what a person calls it. */
export function nameOf({ role, operator, accountName, accountId }: Session): string {
  return (role === 'operator' ? operator : (accountName ?? accountId)) ?? '';
}

const nameOfAccount = 'console.account';

const SessionContext = createContext<Session | undefined>(undefined);
export const SessionProvider = SessionContext.Provider;

/** Who is signed in; for pages, which are only shown to those who are. */
export function useSession(): Session {
  const session = useContext(SessionContext);
  if (!session) throw new Error('There is no session above this');
  return session;
}

/** Asks for the session of the cookie; null for a stranger. */
export const sessionQuery: FetchQueryOptions<Session | null, ApiFailure> = {
  queryKey: sessionKey,
  queryFn: async () => taken(await callConsole<Session | null>('GET', '/session')),
  staleTime: Number.POSITIVE_INFINITY,
  // What nobody looks at any more is still who is signed in.
  gcTime: Number.POSITIVE_INFINITY,
};

/** The session of the cookie; null for a stranger. */
export function useSessionQuery() {
  return useQuery(sessionQuery);
}

/** What signs in: a key, a one-use code, or the answer of a passkey. */
export type SignInBy = { key: string } | { code: string } | { passkey: object };

/** Signs in. Throws an `ApiFailure`. */
export function useSignIn(): (by: SignInBy) => Promise<void> {
  const client = useQueryClient();
  return async (by) => {
    const session = taken(await callConsole<Session>('POST', '/session', by));
    // What another session read is not this one's.
    client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== sessionKey[0] });
    client.setQueryData(sessionKey, session);
  };
}

/** Signs in with the code of a link in place of who is signed in. The page is loaded anew, and holds nothing of them. Throws an `ApiFailure`. */
export async function signInInstead(code: string): Promise<void> {
  taken(await callConsole<Session>('POST', '/session', { code }));
  location.reload();
}

/** Ends the session. The page is loaded anew, and holds nothing of it. */
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

/** The account of the session that this tab had last: an account that is suspended is told nothing, not even its name. */
export function lastAccountName(): string {
  return sessionStorage.getItem(nameOfAccount) ?? '';
}
