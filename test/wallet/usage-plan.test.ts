import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planUsage } from '../../src/wallet/usage/plan.ts';

test('whole hours and what is beside them are exactly the postings that are asked for, at the shorter side', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat({ max: 3_000 }), { minLength: 1, maxLength: 12 }),
      fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
      fc.double({ min: 0, max: 1, noNaN: true }),
      async (sizes, [a, b], behind) => {
        // The hour of each posting; the first has the number 1.
        const hours = sizes.flatMap((size, hour) => Array.from({ length: size }, () => BigInt(hour)));
        if (hours.length === 0) return;
        const next = BigInt(hours.length + 1);
        const at = (part: number) => 1n + BigInt(Math.floor(part * hours.length));
        const [from, to] = a < b ? [at(a), at(b)] : [at(b), at(a)];
        const summed = behind < 0.5 ? next - 1n : at(behind) - 1n;
        const hourOf = async (seq: bigint) => hours[Number(seq) - 1] ?? -1n;
        const firstOf = async (hour: bigint, low: bigint, high: bigint) => {
          for (let seq = low; seq < high; seq++) if ((await hourOf(seq)) >= hour) return seq;
          return high;
        };
        const plan = await planUsage({ from, to, next, summed }, { hourOf, firstOf });
        const counted = new Array<number>(hours.length + 1).fill(0);
        hours.forEach((hour, index) => {
          if (plan.hours && hour >= plan.hours.first && hour < plan.hours.end && BigInt(index) < summed)
            counted[index + 1] = 1;
        });
        for (const segment of plan.segments)
          for (let seq = Number(segment.from); seq < Number(segment.to); seq++)
            counted[seq] = (counted[seq] ?? 0) + (segment.sign === '-' ? -1 : 1);
        expect(counted.slice(1).map(Number)).toEqual(
          hours.map((_, index) => (BigInt(index + 1) >= from && BigInt(index + 1) < to ? 1 : 0)),
        );
        // Nothing more than half an hour at each end is read, except what is not summed.
        const read = plan.segments.reduce((total, segment) => total + segment.to - segment.from, 0n);
        const unsummed = to > summed + 1n ? to - summed - 1n : 0n;
        expect(read <= BigInt(Math.max(...sizes)) + unsummed + 2_000n).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});
