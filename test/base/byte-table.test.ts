import fc from 'fast-check';
import { expect, test } from 'vitest';
import { byteTableOf } from '../../src/base/byte-table.ts';

test('a table of bytes finds each of its keys and nothing else', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 6, max: 3 });
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 300, selector: String }), fc.array(key), (keys, others) => {
      const starts = Uint32Array.from([
        0,
        ...keys.map((_, at) => keys.slice(0, at + 1).flatMap((one) => [...one]).length),
      ]);
      const table = byteTableOf(Uint8Array.from(keys.flatMap((one) => [...one])), starts);
      const place = new Map(keys.map((one, index) => [String(one), index]));
      expect(table.size).toBe(keys.length);
      for (const one of [...keys, ...others])
        expect(table.indexOf(Uint8Array.from([7, ...one, 7]), 1, 1 + one.length)).toBe(place.get(String(one)) ?? -1);
      expect(table.indexOf(new Uint8Array(9), 0, 9)).toBe(-1);
    }),
    { numRuns: 50 },
  );
});
