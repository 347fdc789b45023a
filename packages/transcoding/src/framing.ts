import type { Message } from '@bufbuild/protobuf';
import type { StreamFormat } from './negotiation.ts';
import type { Printer } from './printing.ts';

/** How a stream's messages become bytes. */
export interface Framing<Sent> {
  /** `first` is undefined if the stream has no message. */
  contentType(first: Sent | undefined): string;
  /** Precedes the first message. */
  readonly opening?: string;
  frame(message: Sent): string | Uint8Array;
  /** Follows the last message of a stream that did not fail. */
  readonly closing?: string;
  /** The end of a failed stream; undefined if there is no place for an error and the connection breaks off. */
  failure(error: unknown): string | undefined;
  /** Whether a comment may go between messages, so that proxies do not close a silent stream. */
  readonly hasHeartbeat: boolean;
  /** Whether the messages are parts of a file, which is compressed if its type makes it worthwhile. */
  readonly isFile?: boolean;
}

export const eventStreamType = 'text/event-stream; charset=utf-8';

/** A comment, which clients ignore. */
export const keepAlive = ': keep-alive\n\n';

export function eventOf(json: string, id?: string): string {
  return id === undefined ? `data: ${json}\n\n` : `id: ${id}\ndata: ${json}\n\n`;
}

/** Special properties of some stream messages. */
export interface MessageMarks {
  /** Whether a message has no content and only keeps the connection open. */
  isSilence(message: Message): boolean;
  /** The id of a message's event; undefined if it has none. Contains no line break and no NUL. */
  eventId(message: Message): string | undefined;
}

/** The framing of a method's replies. `printError`: prints an error's body, in the product's format. */
export function framingOf(
  printer: Printer,
  format: StreamFormat,
  printError: (error: unknown) => string,
  { isSilence, eventId }: MessageMarks,
): Framing<Message> {
  if (printer.isRaw)
    return {
      contentType: (first) => (first ? printer.raw(first).contentType : 'application/octet-stream'),
      frame: (message) => printer.raw(message).body,
      failure: () => undefined,
      hasHeartbeat: false,
      isFile: true,
    };
  if (format === 'sse')
    return {
      contentType: () => eventStreamType,
      frame: (message) => (isSilence(message) ? keepAlive : eventOf(printer.json(message), eventId(message))),
      failure: (error) => `event: error\n${printError(error).replace(/^/gm, 'data: ')}\n\n`,
      hasHeartbeat: true,
    };
  return {
    contentType: () => 'application/x-ndjson; charset=utf-8',
    frame: (message) => `{"result":${printer.json(message)}}\n`,
    failure: (error) => `${printError(error).replaceAll('\n', ' ')}\n`,
    hasHeartbeat: false,
  };
}
