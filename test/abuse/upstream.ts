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

const upstream = await startUpstream();
upstream.answer((request) => {
  // Kept for tests that look at them; nobody does here.
  upstream.seen.length = 0;
  return answerTo(request);
});
process.on('disconnect', () => process.exit(0));
process.send?.(upstream.url);

function answerTo({ body }: SeenRequest): UpstreamReply {
  const contents = body.model === 'flood' ? (flood.match(/.{1,4000}/g) ?? []) : ['{"a":"', 'a'.repeat(40), '"}'];
  const usage = body.model === 'plain' ? { prompt_tokens: 12, completion_tokens: 20, total_tokens: 32 } : null;
  if (body.stream === true) return { pieces: streamedCompletion(contents, usage) };
  return { body: completion(contents.join(''), usage) };
}
