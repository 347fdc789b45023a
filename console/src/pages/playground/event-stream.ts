/** One server-sent event (HTML, section 9.2.6). */
export interface ServerEvent {
  id?: string;
  name: string;
  data: string;
}

/** The events of a body, each as soon as it is complete. An event that is cut off is dropped. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerEvent, void> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      rest += value;
      // A CR at the end may be the first half of CR LF, so it waits for the second.
      const whole = rest.endsWith('\r') ? rest.slice(0, -1) : rest;
      const blocks = whole.split(/\r\n\r\n|\n\n|\r\r/);
      rest = (blocks.pop() ?? '') + rest.slice(whole.length);
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

function eventOf(block: string): ServerEvent | undefined {
  const event: ServerEvent = { name: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'data') data.push(value);
    else if (field === 'event') event.name = value;
    else if (field === 'id') event.id = value;
  }
  return data.length > 0 ? { ...event, data: data.join('\n') } : undefined;
}
