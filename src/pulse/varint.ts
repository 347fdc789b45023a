/** Natural numbers below 2^53 as LEB128: seven bits per byte, lowest first. */
export class NumberWriter {
  #bytes = Buffer.allocUnsafe(4_096);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  write(number: number): void {
    this.#makeRoom(8);
    let left = number;
    while (left >= 128) {
      this.#bytes[this.#length++] = (left % 128) | 128;
      left = Math.floor(left / 128);
    }
    this.#bytes[this.#length++] = left;
  }

  copy(bytes: Uint8Array, from: number, to: number): void {
    this.#makeRoom(to - from);
    this.#bytes.set(bytes.subarray(from, to), this.#length);
    this.#length += to - from;
  }

  /** The bytes written since the last call, as a copy. */
  take(): Buffer {
    const taken = Buffer.from(this.#bytes.subarray(0, this.#length));
    this.#length = 0;
    return taken;
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#length + bytes));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

export class NumberReader {
  readonly #bytes: Uint8Array;
  readonly #end: number;
  at: number;

  constructor(bytes: Uint8Array, from = 0, to = bytes.length) {
    this.#bytes = bytes;
    this.at = from;
    this.#end = to;
  }

  get done(): boolean {
    return this.at >= this.#end;
  }

  read(): number {
    let value = 0;
    let scale = 1;
    for (;;) {
      if (this.at >= this.#end) throw new Error('stored sums end in the middle of a number');
      const byte = this.#bytes[this.at++] ?? 0;
      value += (byte & 127) * scale;
      if (byte < 128) return value;
      scale *= 128;
    }
  }
}
