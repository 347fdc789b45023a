/** The framing of messages between the service and a child: a 32-bit little-endian byte length, then JSON. */
export const frameHeadBytes = 4;

/** The largest answer; the child refuses a longer one. */
export const answerBytesMax = 4 * 1024 * 1024;

export function writeFrame(message: unknown): Buffer {
  const text = JSON.stringify(message);
  const bytes = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(frameHeadBytes + bytes);
  frame.writeUInt32LE(bytes);
  frame.write(text, frameHeadBytes);
  return frame;
}

/** Reassembles answers from the chunks of a pipe. Throws if one is larger than allowed. */
export function frameReader(onMessage: (message: unknown) => void): (piece: Buffer) => void {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let needed = frameHeadBytes;
  return (piece) => {
    pieces.push(piece);
    bytes += piece.length;
    while (bytes >= needed) {
      const whole = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
      const end = frameHeadBytes + whole.readUInt32LE();
      if (end > frameHeadBytes + answerBytesMax) throw new Error('a child sent more than an answer can be');
      pieces = [whole];
      needed = end;
      if (bytes < end) return;
      pieces = end === bytes ? [] : [whole.subarray(end)];
      bytes -= end;
      needed = frameHeadBytes;
      onMessage(JSON.parse(whole.toString('utf8', frameHeadBytes, end)));
    }
  };
}
