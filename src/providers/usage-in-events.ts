import type { EventChange } from './event-stream.ts';
import { makeUsageReadable, type UsageShape } from './stated-usage.ts';

const newline = 0x0a;
const dataField = 'data:';

/** Makes the usage in a stream's events readable. A line is handed on when all of it is there; nobody could read it before. */
export class UsageInEvents implements EventChange {
  readonly #shape: UsageShape;
  /** The beginning of a line. */
  #begun: Uint8Array[] = [];

  constructor(shape: UsageShape) {
    this.#shape = shape;
  }

  next(bytes: Uint8Array): Uint8Array {
    const end = bytes.lastIndexOf(newline) + 1;
    const lines = end === 0 ? nothing : this.#with(bytes.subarray(0, end));
    if (end < bytes.byteLength) this.#begun.push(bytes.subarray(end));
    return this.#readable(lines);
  }

  rest(): Uint8Array {
    return this.#readable(this.#with(nothing));
  }

  #with(bytes: Uint8Array): Uint8Array {
    const begun = this.#begun;
    if (begun.length === 0) return bytes;
    this.#begun = [];
    return Buffer.concat([...begun, bytes]);
  }

  #readable(lines: Uint8Array): Uint8Array {
    const { mark } = this.#shape;
    const text = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
    if (!text.includes(mark)) return lines;
    const readable = text.toString().replace(/[^\n]+/g, (line) => (line.includes(mark) ? this.#line(line) : line));
    return Buffer.from(readable);
  }

  #line(line: string): string {
    if (!line.startsWith(dataField)) return line;
    try {
      const event: unknown = JSON.parse(line.slice(dataField.length));
      return makeUsageReadable(event, this.#shape) ? `${dataField} ${JSON.stringify(event)}` : line;
    } catch {
      // What is not JSON is the package's to refuse.
      return line;
    }
  }
}

const nothing = new Uint8Array();
