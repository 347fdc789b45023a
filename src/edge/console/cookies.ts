import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/** How a browser stores its session: the cookie's name and its attributes (RFC 6265bis). */
export interface SessionCookie {
  readonly name: string;
  readonly attributes: string;
}

const always = 'Path=/; HttpOnly; SameSite=Strict';
/** Over TLS. The prefix makes browsers insist on Secure and Path=/, and prevents other hosts of the domain from setting it. */
const secureCookie: SessionCookie = { name: '__Host-console', attributes: `${always}; Secure` };
/** The names that browsers treat as this machine. */
const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::(\d{1,5}))?$/i;

/**
 * The cookie for a browser with this kind of connection; undefined where none would be safe: plain HTTP from another machine.
 * Cookies ignore ports, so two services on one machine use different names.
 */
export function cookieFor(isSecure: boolean, headers: IncomingHttpHeaders): SessionCookie | undefined {
  if (isSecure) return secureCookie;
  const port = loopbackPort(headers);
  return port === undefined ? undefined : { name: `console_${port}`, attributes: always };
}

/**
 * The session secret that a browser sent; undefined if none. Over TLS only the prefixed cookie counts: any page of the same
 * machine or domain could plant the other one.
 */
export function sessionSecretOf({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>): string | undefined {
  const { cookie } = headers;
  if (cookie === undefined) return undefined;
  const secure = cookieNamed(cookie, secureCookie.name);
  if (secure !== undefined || ('encrypted' in socket && socket.encrypted)) return secure;
  const port = loopbackPort(headers);
  return port === undefined ? undefined : cookieNamed(cookie, `console_${port}`);
}

function loopbackPort(headers: IncomingHttpHeaders): string | undefined {
  const match = loopback.exec(headers.host ?? String(headers[':authority'] ?? ''));
  return match ? (match[1] ?? '80') : undefined;
}

function cookieNamed(cookies: string, name: string): string | undefined {
  for (const pair of cookies.split(';')) {
    const [key, value] = pair.trim().split('=', 2);
    if (key === name && value) return value;
  }
  return undefined;
}
