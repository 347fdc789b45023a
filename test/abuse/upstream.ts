/** A provider in its own process. Its answer depends on the requested model. */
import {
  completion,
  type SeenRequest,
  startUpstream,
  streamedCompletion,
  type UpstreamReply,
} from '../support/upstream.ts';

/** More than a caller who asked for 10 tokens wants: sent by an upstream that ignores the limit. */
const flood = 'All work and no play makes a dull day. '.repeat(30_000);
/** A long reply that may be resumed: 1.2 MB in pieces. */
const pieces = flood.match(/.{1,4000}/g) ?? [];

const upstream = await startUpstream();
upstream.answer((request) => {
  // Kept for tests that inspect them; nobody does here.
  upstream.seen.length = 0;
  return answerTo(request);
});
process.on('disconnect', () => process.exit(0));
process.send?.(upstream.url);

function answerTo({ path, body }: SeenRequest): UpstreamReply {
  if (path.endsWith('/embeddings')) return vectors(body);
  const isLong = body.model === 'flood' || body.model === 'long';
  const contents = isLong ? pieces : ['{"a":"', 'a'.repeat(40), '"}'];
  const isCounted = body.model === 'plain' || body.model === 'steady';
  const usage = isCounted ? { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 } : null;
  // A slow reply's last piece comes long after the attack.
  if (body.model === 'slow') return { pieces: streamedCompletion(contents).slice(0, 3), ending: 'silence' };
  if (body.stream === true) return { pieces: streamedCompletion(contents, usage) };
  return { body: completion(contents.join(''), usage) };
}

const dimensions = 1_536;
const vector = JSON.stringify(Array.from({ length: dimensions }, (_, at) => Math.fround(Math.sin(at + 1))));

/** The same vector for each input, without token counts, so that the service has to count. */
function vectors({ input }: Record<string, unknown>): UpstreamReply {
  const count = Array.isArray(input) ? input.length : 1;
  const data = Array.from({ length: count }, (_, index) => `{"index":${index},"embedding":${vector}}`);
  return { body: `{"object":"list","data":[${data.join(',')}],"model":"m"}` };
}
