import { readFileSync } from 'node:fs';

/** A list of numbers in a flat file. */
export interface FlatFile<Note> {
  note: Note;
  bytes(name: string): Uint8Array;
  words(name: string): Uint32Array;
}

/**
 * Opens a file that `scripts/flat-file.mjs` wrote. Its lists stay what they are in the file, one piece of memory beside the heap, so that opening it
 * takes no longer than reading it, and the garbage collector has nothing to visit.
 */
export function openFlatFile<Note>(file: URL): FlatFile<Note> {
  const read = readFileSync(file);
  // Numbers of four bytes have to begin at a multiple of four.
  const { buffer, byteOffset } = read.byteOffset % 8 === 0 ? read : Buffer.from(new Uint8Array(read).buffer);
  const length = read.readUInt32LE();
  const { lists, note } = JSON.parse(read.toString('utf8', headBytes, headBytes + length)) as Head<Note>;
  const start = byteOffset + Math.ceil((headBytes + length) / 8) * 8;
  const placeOf = (name: string) => {
    const place = lists[name];
    if (!place) throw new Error(`${file.pathname} has no list "${name}": run "npm run generate"`);
    return { from: start + place.offset, length: place.length };
  };
  return {
    note,
    bytes(name) {
      const { from, length } = placeOf(name);
      return new Uint8Array(buffer, from, length);
    },
    words(name) {
      const { from, length } = placeOf(name);
      return new Uint32Array(buffer, from, length);
    },
  };
}

interface Head<Note> {
  lists: Readonly<Record<string, { offset: number; length: number }>>;
  note: Note;
}

const headBytes = 4;
