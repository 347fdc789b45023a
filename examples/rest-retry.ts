/**
 * JSON with fetch, and retries that never pay twice: the same Idempotency-Key and the same body, until there is an outcome.
 *
 *   BASE_URL=http://127.0.0.1:8080 API_KEY=ik_live_... node examples/rest-retry.ts
 */
import { setTimeout as sleep } from 'node:timers/promises';

const baseUrl = process.env.BASE_URL ?? 'http://127.0.0.1:8080';
const attemptsMax = 5;
const worthARetry = new Set([409, 429, 502, 503, 504]);

const question = { messages: [{ role: 'user', content: 'The shop opens at nine. When does the shop open?' }] };
// Make the key once for each piece of work, and keep it with the work, so that a restart of this program uses it again.
const key = crypto.randomUUID();
const reply = await post('/api/v1/assistant/chat', question, key);
console.log(reply.message.content, `(${reply.usage.costUsd} USD)`);
const again = await post('/api/v1/assistant/chat', question, key);
console.log('the same reply, charged once:', again.id === reply.id);

interface Reply {
  id: string;
  message: { content: string };
  usage: { costUsd: string };
}

async function post(path: string, body: unknown, idempotencyKey: string): Promise<Reply> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${baseUrl}${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${process.env.API_KEY}`,
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    }).catch((error: Error) => error);

    // No answer: what became of the request is not known, and with its key it is safe to ask again.
    if (response instanceof Error) {
      if (attempt === attemptsMax) throw response;
    } else {
      const answer = (await response.json()) as Reply & { error?: { message: string } };
      if (response.ok) return answer;
      if (!worthARetry.has(response.status) || attempt === attemptsMax)
        throw new Error(`${response.status}: ${answer.error?.message} (${response.headers.get('x-request-id')})`);
    }
    const asked = response instanceof Error ? 0 : Number(response.headers.get('retry-after') ?? 0);
    await sleep(Math.max(asked * 1000, 200 * 2 ** attempt * (0.5 + Math.random() / 2)));
  }
}
