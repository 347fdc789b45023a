/** A provider in a process of its own. What it answers depends on the model that it is asked for. */
import {
  completion,
  type SeenRequest,
  startUpstream,
  streamedCompletion,
  type UpstreamReply,
} from '../support/upstream.ts';

/** More than a caller who asked for 10 tokens wants: what an upstream sends that ignores the bound. */
const flood = 'All work and no play makes a dull day. '.repeat(30_000);
/** A long reply that may be resumed: 1.2 MB in pieces. */
const pieces = flood.match(/.{1,4000}/g) ?? [];

const upstream = await startUpstream();
upstream.answer((request) => {
  // Kept for tests that look at them; nobody does here.
  upstream.seen.length = 0;
  return answerTo(request);
});
process.on('disconnect', () => process.exit(0));
process.send?.(upstream.url);

function answerTo({ path, body }: SeenRequest): UpstreamReply {
  if (path.endsWith('/embeddings')) return vectors(body);
  const isLong = body.model === 'flood' || body.model === 'long';
  const contents = isLong ? pieces : ['{"a":"', 'a'.repeat(40), '"}'];
  const usage = body.model === 'plain' ? { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 } : null;
  // The last piece of a slow one comes long after the attack.
  if (body.model === 'slow') return { pieces: streamedCompletion(contents).slice(0, 3), ending: 'silence' };
  if (body.stream === true) return { pieces: streamedCompletion(contents, usage) };
  return { body: completion(contents.join(''), usage) };
}

const dimensions = 1_536;
const vector = JSON.stringify(Array.from({ length: dimensions }, (_, at) => Math.fround(Math.sin(at + 1))));

/** The same vector for each input, and no word of what they took, so that the service has to count. */
function vectors({ input }: Record<string, unknown>): UpstreamReply {
  const count = Array.isArray(input) ? input.length : 1;
  const data = Array.from({ length: count }, (_, index) => `{"index":${index},"embedding":${vector}}`);
  return { body: `{"object":"list","data":[${data.join(',')}],"model":"m"}` };
}
