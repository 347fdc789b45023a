import { endOfTurn, ownTurn } from '../base/turn.ts';

/** Where a stream's bytes come from. */
export interface StreamSource {
  pause(): void;
  resume(): void;
  /** Nobody reads any more. */
  cancel(): void;
}

/** Changes a stream's bytes on their way to its reader. */
export interface EventChange {
  /** What to hand over of these bytes and of those kept back before. */
  next(bytes: Uint8Array): Uint8Array;
  /** What was kept back until the end. */
  rest(): Uint8Array;
}

/**
 * How much of a stream is handed over in one turn of the event loop: some hundred events. A socket gives up to 2 MB at once, and
 * reading them in one turn would take most of a second.
 */
const turnBytes = 16_384;
/** How much may wait before the source is paused. Each pause copies what the source has read ahead, so there must be few. */
const waitingBytesMax = 65_536;

/** The body of an event stream, on its way to its reader. A stream that comes fast takes turns with other long computations. */
export class EventStreamBody {
  readonly stream: ReadableStream<Uint8Array>;
  readonly #source: StreamSource;
  readonly #change: EventChange | undefined;
  #controller!: ReadableStreamDefaultController<Uint8Array>;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  /** Bytes handed over in this turn. */
  #given = 0;
  /** Whether it has had its part of this turn, and waits for one of its own. */
  #isHeld = false;
  #isPaused = false;
  #state: 'open' | 'ended' | 'closed' = 'open';

  constructor(source: StreamSource, change?: EventChange) {
    this.#source = source;
    this.#change = change;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#handOver(),
        cancel: () => {
          this.#close();
          source.cancel();
        },
      },
      new ByteLengthQueuingStrategy({ highWaterMark: turnBytes }),
    );
  }

  push(chunk: Uint8Array): void {
    if (this.#state !== 'open') return;
    this.#waiting.push(chunk);
    this.#waitingBytes += chunk.byteLength;
    this.#handOver();
    if (this.#waitingBytes < waitingBytesMax || this.#isPaused) return;
    this.#isPaused = true;
    this.#source.pause();
  }

  /** All of it has come. */
  end(): void {
    if (this.#state !== 'open') return;
    this.#state = 'ended';
    this.#handOver();
  }

  error(error: unknown): void {
    if (this.#state === 'closed') return;
    this.#close();
    this.#controller.error(error);
  }

  /** Hands over what this turn and the reader have room for, and then asks for more. */
  #handOver(): void {
    while (this.#waiting.length > 0 && !this.#isHeld && this.#hasRoom) {
      if (this.#given === turnBytes) this.#waitForTurn();
      else this.#enqueue(this.#next());
    }
    if (this.#waiting.length > 0 || !this.#hasRoom) return;
    if (this.#state === 'ended') {
      this.#close();
      const rest = this.#change?.rest();
      if (rest && rest.byteLength > 0) this.#controller.enqueue(rest);
      this.#controller.close();
    } else if (this.#isPaused) {
      this.#isPaused = false;
      this.#source.resume();
    }
  }

  #enqueue(bytes: Uint8Array): void {
    const changed = this.#change ? this.#change.next(bytes) : bytes;
    if (changed.byteLength > 0) this.#controller.enqueue(changed);
  }

  get #hasRoom(): boolean {
    return this.#state !== 'closed' && (this.#controller.desiredSize ?? 0) > 0;
  }

  #next(): Uint8Array {
    const [first = new Uint8Array()] = this.#waiting;
    const room = turnBytes - this.#given;
    if (this.#given === 0) void endOfTurn().then(this.#begin);
    const next = first.subarray(0, room);
    if (next.byteLength === first.byteLength) this.#waiting.shift();
    else this.#waiting[0] = first.subarray(room);
    this.#given += next.byteLength;
    this.#waitingBytes -= next.byteLength;
    return next;
  }

  #waitForTurn(): void {
    this.#isHeld = true;
    void ownTurn().then(() => {
      this.#isHeld = false;
      this.#begin();
      this.#handOver();
    });
  }

  #begin = (): void => {
    this.#given = 0;
  };

  #close(): void {
    this.#state = 'closed';
    this.#waiting = [];
  }
}
