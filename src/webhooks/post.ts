import { Agent, request } from 'undici';
import { boundedConnector } from './bounded-connector.ts';
import { addressInUrl, createPublicLookup, isPublicAddress } from './public-address.ts';

/** The outcome of one attempt. `problem` is for the customer: it reveals nothing about networks. */
export interface PostOutcome {
  status?: number;
  problem?: string;
}

export interface Poster {
  post(url: string, headers: Record<string, string>, body: string): Promise<PostOutcome>;
  close(): Promise<void>;
}

const attemptTimeoutMs = 15_000;
const connectTimeoutMs = 5_000;
/** The response body is not needed; at most this much is read. */
const answerBytesMax = 16_384;

/** Posts messages, only to the public internet unless private networks are allowed. Does not follow redirects. */
export function createPoster({ allowPrivateNetworks }: { allowPrivateNetworks: boolean }): Poster {
  const agent = new Agent({
    connect: boundedConnector({
      timeout: connectTimeoutMs,
      ...(!allowPrivateNetworks && { lookup: createPublicLookup() }),
    }),
    headersTimeout: attemptTimeoutMs,
    bodyTimeout: attemptTimeoutMs,
    keepAliveTimeout: 1_000,
  });
  return {
    async post(url, headers, body) {
      // Connecting to a literal address involves no resolver, so check it here.
      const address = addressInUrl(new URL(url));
      if (!allowPrivateNetworks && address !== undefined && !isPublicAddress(address)) return { problem: notReached };
      try {
        const answer = await request(url, {
          method: 'POST',
          headers,
          body,
          dispatcher: agent,
          signal: AbortSignal.timeout(attemptTimeoutMs),
        });
        const { statusCode: status } = answer;
        await answer.body.dump({ limit: answerBytesMax }).catch(() => undefined);
        return status >= 200 && status < 300 ? { status } : { status, problem: `answered ${status}` };
      } catch (error) {
        return { problem: problemOf(error) };
      }
    },
    close: () => agent.destroy(),
  };
}

/** The same message for a name that does not resolve, one that resolves to a private address, and a refused connection. */
const notReached = 'could not be reached';

function problemOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  return /Timeout/.test(name) ? 'no answer in time' : notReached;
}
