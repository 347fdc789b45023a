/** A packet of the MySQL protocol: 3 bytes of length, a sequence number, the payload. */
export interface Packet {
  /** The whole packet, as received. */
  bytes: Buffer;
  sequence: number;
  payload: Buffer;
}

const headerBytes = 4;

/** Splits what arrives from one side of a connection into packets. */
export function createSplitter(): (chunk: Buffer) => Packet[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const packets: Packet[] = [];
    while (rest.length >= headerBytes) {
      const end = headerBytes + rest.readUIntLE(0, 3);
      if (rest.length < end) break;
      packets.push({
        bytes: rest.subarray(0, end),
        sequence: rest.readUInt8(3),
        payload: rest.subarray(headerBytes, end),
      });
      rest = rest.subarray(end);
    }
    return packets;
  };
}

const comQuery = 0x03;

/** The SQL of a command; undefined for other commands. */
export function sqlOf({ payload }: Packet): string | undefined {
  if (payload[0] !== comQuery) return undefined;
  // MySQL expects 2 bytes first, which say that the query has no attributes; MariaDB does not, and no SQL begins with a zero.
  return payload.toString('utf8', payload[1] === 0 ? 3 : 1);
}

const moreResultsExist = 0x0008;

/** Follows the answer to one query, which may have many results; the returned function says whether a packet was the last. */
export function createAnswerReader(): (packet: Packet) => boolean {
  let part: 'head' | 'columns' | 'rows' = 'head';
  return ({ payload }) => {
    if (payload[0] === 0xff) return true;
    if (part === 'head') {
      if (payload[0] === 0x00) return !hasMore(okStatus(payload));
      part = 'columns';
      return false;
    }
    const isEnd = payload[0] === 0xfe && payload.length < 9;
    if (!isEnd) return false;
    if (part === 'columns') {
      part = 'rows';
      return false;
    }
    part = 'head';
    return !hasMore(payload.readUInt16LE(3));
  };
}

function hasMore(status: number): boolean {
  return (status & moreResultsExist) !== 0;
}

/** The status flags follow the number of changed rows and the last id, which have variable lengths. */
function okStatus(payload: Buffer): number {
  const afterRows = 1 + integerBytes(payload[1]);
  return payload.readUInt16LE(afterRows + integerBytes(payload[afterRows]));
}

function integerBytes(first: number | undefined): number {
  if (first === 0xfc) return 3;
  if (first === 0xfd) return 4;
  return first === 0xfe ? 9 : 1;
}
