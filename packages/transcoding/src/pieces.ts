import { invalidArgument, RestError } from './errors.ts';
import { ownTurn } from './own-turn.ts';

/** Chunks, or frames, of one body: each takes the same time to receive, however short it is. */
export const piecesMax = 65_536;
/** Shorter pieces are copied: a separate piece is an object of some 300 bytes. */
const keptBytes = 4_096;
const blockBytes = 65_536;
/** Joining this much takes less than a millisecond; 20 MB take 5 to 20. */
const joinedAtOnceMax = 1024 * 1024;
const nothing = Buffer.alloc(0);

/** Called with the number of the next bytes before they are kept; throws to refuse them. */
export type Received = (bytes: number) => void;

function nobody(): void {}

/** Collects a body's pieces, which its sender may make as small as it likes. */
export class Pieces {
  private readonly bytesMax: number;
  private readonly received: Received;
  private readonly kept: Buffer[] = [];
  private block = nothing;
  private used = 0;
  private bytes = 0;
  private count = 0;

  constructor(bytesMax: number, received: Received = nobody) {
    this.bytesMax = bytesMax;
    this.received = received;
  }

  /** Throws if there are too many bytes or pieces, or if `received` throws. */
  add(piece: Buffer): void {
    this.bytes += piece.length;
    this.count += 1;
    if (this.bytes > this.bytesMax) throw tooLarge(this.bytesMax);
    if (this.count > piecesMax)
      throw invalidArgument('body', `comes in more than ${piecesMax} pieces; send it in longer ones`);
    this.received(piece.length);
    // Most bodies are one piece.
    if (this.count === 1 || piece.length >= keptBytes) {
      this.endBlock();
      this.kept.push(piece);
      return;
    }
    if (this.used + piece.length > this.block.length) {
      this.endBlock();
      this.block = Buffer.allocUnsafeSlow(blockBytes);
    }
    piece.copy(this.block, this.used);
    this.used += piece.length;
  }

  /** The whole body; nothing may be added after this. Many long ones can end at the same moment, so each is joined in a turn of its own. */
  async whole(): Promise<Buffer> {
    if (this.bytes > joinedAtOnceMax) await ownTurn();
    return this.joined();
  }

  private joined(): Buffer {
    this.endBlock();
    const [first = nothing] = this.kept;
    return this.kept.length > 1 ? Buffer.concat(this.kept, this.bytes) : first;
  }

  private endBlock(): void {
    if (this.used > 0) this.kept.push(this.block.subarray(0, this.used));
    this.block = nothing;
    this.used = 0;
  }
}

export function tooLarge(limitBytes: number): RestError {
  return new RestError({ kind: 'payload_too_large', limitBytes });
}
