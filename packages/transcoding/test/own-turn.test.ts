import { setImmediate as nextTurn } from 'node:timers/promises';
import { create, createRegistry } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { EchoService, KindsSchema } from '../../../test/gen/intelligence/test/v1/echo_pb.ts';
import { defaultJsonBounds, findJsonFault } from '../src/json-bounds.ts';
import { longBytes, ownTurn, takeTurnsFrom } from '../src/own-turn.ts';
import { Printer } from '../src/printing.ts';

test('of long texts that are there at one moment, one goes on in a turn of the event loop', async () => {
  const text = Buffer.from(JSON.stringify('a'.repeat(longBytes)));
  let turn = 0;
  let isOver = false;
  const turns = (async () => {
    while (!isOver) {
      await nextTurn();
      turn += 1;
    }
  })();
  const decided = await Promise.all(Array.from({ length: 8 }, () => findJsonFault(text).then(() => turn)));
  isOver = true;
  await turns;
  expect(new Set(decided).size).toBe(8);
});

test('short texts are not kept waiting', async () => {
  let isNextTurn = false;
  setImmediate(() => {
    isNextTurn = true;
  });
  await findJsonFault(Buffer.from(JSON.stringify('a'.repeat(longBytes - 2))));
  expect(isNextTurn).toBe(false);
});

test('a long list is printed in several turns, to the text that it has at once', async () => {
  const printer = new Printer(EchoService.method.echoKinds, '', createRegistry());
  const id = 'ü'.repeat(100_000);
  const message = create(KindsSchema, { inners: Array.from({ length: 20 }, () => ({ id })), texts: ['last'] });
  let turns = 0;
  let isOver = false;
  const watch = () => {
    turns += 1;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  const { body } = await printer.printInTurns(message);
  isOver = true;
  expect(turns).toBeGreaterThan(4);
  expect(Buffer.from(body).equals(Buffer.from(printer.print(message).body))).toBe(true);
});

test('a string that is searched for its end is measured like one that is read byte by byte', async () => {
  const bounds = { ...defaultJsonBounds, valuesMax: 2, escapesMax: 1 };
  const long = 'a'.repeat(3_000_000);
  const faults = [
    `["${long}",2]`,
    `["${long}",2,3]`,
    `["${long}\\n",2]`,
    `["${long}\\n\\n"]`,
    `["${long}`,
    `["\\"${long}[[["]`,
  ];
  const found = await Promise.all(faults.map((text) => findJsonFault(Buffer.from(text), bounds)));
  expect(found.map((fault) => fault?.description.split(' ').slice(-3).join(' '))).toEqual([
    undefined,
    'names and values',
    undefined,
    'in its strings',
    undefined,
    undefined,
  ]);
});

test('lists that are printed at the same time share a turn', async () => {
  const printer = new Printer(EchoService.method.echoKinds, '', createRegistry());
  const message = create(KindsSchema, { inners: Array.from({ length: 4 }, () => ({ id: 'a'.repeat(50_000) })) });
  let printed = 0;
  let most = 0;
  let isOver = false;
  const before = message.inners[0]?.id ?? '';
  // Each read of an element counts.
  for (const inner of message.inners)
    Object.defineProperty(inner, 'id', {
      get: () => {
        printed += before.length;
        return before;
      },
    });
  const watch = () => {
    most = Math.max(most, printed);
    printed = 0;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await Promise.all(Array.from({ length: 20 }, () => printer.printInTurns(message)));
  isOver = true;
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThan(2_000_000);
});

test('a server gives the turns', async () => {
  const asked: string[] = [];
  const { promise: given, resolve: give } = Promise.withResolvers<void>();
  takeTurnsFrom(() => {
    asked.push('long text');
    return given;
  });
  let isRead = false;
  const reading = findJsonFault(Buffer.from(JSON.stringify('a'.repeat(longBytes)))).then(() => {
    isRead = true;
  });
  for (let turn = 0; turn < 10; turn++) await nextTurn();
  expect(asked).toEqual(['long text']);
  expect(isRead).toBe(false);
  give();
  await reading;
  await ownTurn();
  expect(asked).toHaveLength(2);
});
