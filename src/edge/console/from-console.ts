import { fail, type Result, succeed } from '../../base/failure.ts';

/** What is needed to tell whether a page of this service sent the request. */
export interface BrowserRequest {
  /** The HTTP method. */
  readonly httpMethod: string;
  header(name: string): string | undefined;
}

const json = /^application\/json\s*(?:;\s*charset="?utf-?8"?\s*)?$/i;
const allowed = succeed(undefined);

/**
 * Whether a page of this service sent the request. Browsers attach a cookie to everything, so it only counts if the browser says
 * that the page has the same origin (Fetch metadata; every browser since 2023 does), and if a request that may change something
 * has a header and a body type that no form can send, nor any other site without permission (CORS).
 */
export function checkFromConsole(request: BrowserRequest): Result<void> {
  if (request.header('sec-fetch-site') !== 'same-origin')
    return refused(
      'A cookie counts only in requests that a page of this service sends (Sec-Fetch-Site: same-origin). Programs send "Authorization: Bearer <key>".',
    );
  if (request.httpMethod === 'GET' || request.httpMethod === 'HEAD') return allowed;
  if (request.header('x-console') !== '1')
    return refused('What changes something with a cookie needs the header "X-Console: 1".');
  const type = request.header('content-type');
  const hasBody =
    request.header('transfer-encoding') !== undefined || Number(request.header('content-length') ?? 0) > 0;
  if (type === undefined ? hasBody : !json.test(type))
    return refused('A request with a cookie must send its body as Content-Type application/json.');
  return allowed;
}

function refused(description: string): Result<void> {
  return fail({ kind: 'not_from_console', description });
}
