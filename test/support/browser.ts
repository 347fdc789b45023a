import { type Answer, send } from './app.ts';

/** The headers that a page of the service sends with requests other than GET. */
export const pageHeaders = { 'sec-fetch-site': 'same-origin', 'x-console': '1' };

/** Like a browser with one cookie jar: it keeps the service's cookies and sends them back. */
export interface TestBrowser {
  /** A request by a page of the service itself. */
  send(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** The `Cookie` header to send; undefined: none. */
  cookie(): string | undefined;
  /** The whole `Set-Cookie` of the last answer that had one. */
  lastSetCookie(): string;
  /** The cookie's secret. */
  secret(): string;
}

export function openBrowser(app: { url: string }): TestBrowser {
  let cookie: string | undefined;
  let setCookie = '';
  return {
    async send(method, path, body, headers = {}) {
      const answer = await send(app, method, path, undefined, body, {
        ...pageHeaders,
        ...(cookie !== undefined && { cookie }),
        ...headers,
      });
      const [set] = answer.headers.getSetCookie();
      if (set !== undefined) {
        setCookie = set;
        cookie = /Max-Age=0/i.test(set) ? undefined : set.split(';')[0];
      }
      return answer;
    },
    cookie: () => cookie,
    lastSetCookie: () => setCookie,
    secret: () => cookie?.split('=')[1] ?? '',
  };
}

/** A browser that is signed in with a key, or with an operator's token. */
export async function signIn(app: { url: string }, key: string): Promise<TestBrowser> {
  const browser = openBrowser(app);
  const answer = await browser.send('POST', '/console/session', { key });
  if (answer.status !== 200) throw new Error(`not signed in: ${answer.status} ${answer.text}`);
  return browser;
}
