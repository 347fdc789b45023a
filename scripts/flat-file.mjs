// Numbers in one file, which `src/base/flat-file.ts` reads without parsing them: a JSON head, then each list at a multiple of 8 bytes.

/** The bytes of a file with these typed arrays, by name, and a note in JSON. */
export function flatFile(lists, note) {
  const places = {};
  let length = 0;
  for (const [name, list] of Object.entries(lists)) {
    places[name] = { offset: length, length: list.length };
    length = roundedUp(length + list.byteLength);
  }
  const json = Buffer.from(JSON.stringify({ lists: places, note }));
  const start = roundedUp(headBytes + json.length);
  const file = Buffer.alloc(start + length);
  file.writeUInt32LE(json.length);
  json.copy(file, headBytes);
  for (const [name, list] of Object.entries(lists))
    Buffer.from(list.buffer, list.byteOffset, list.byteLength).copy(file, start + places[name].offset);
  return file;
}

const headBytes = 4;

function roundedUp(bytes) {
  return Math.ceil(bytes / 8) * 8;
}
