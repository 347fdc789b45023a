import { expect, test } from 'vitest';
import { readEvents } from '../../../console/src/pages/playground/event-stream.ts';

const stream =
  ': hello\n\nid: 1\ndata: {"content":"ä🙂"}\n\nid: 2\r\ndata: a\r\ndata: b\r\n\r\nevent: error\ndata: {}\n\ndata: cut';
const whole = [
  { id: '1', name: 'message', data: '{"content":"ä🙂"}' },
  { id: '2', name: 'message', data: 'a\nb' },
  { name: 'error', data: '{}' },
];

test('events are the same wherever the bytes are cut, and what is cut off is none', async () => {
  const bytes = new TextEncoder().encode(stream);
  for (let at = 0; at <= bytes.length; at++) {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of [bytes.slice(0, at), bytes.slice(at)]) if (piece.length > 0) controller.enqueue(piece);
        controller.close();
      },
    });
    const events = [];
    for await (const event of readEvents(body)) events.push(event);
    expect(events, `cut at ${at}`).toEqual(whole);
  }
});
