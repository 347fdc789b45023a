import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FailureError } from '../../src/base/failure.ts';
import { createSeal } from '../../src/base/seal.ts';
import { createKeptStreams, type KeptStreamsSettings } from '../../src/chat/kept-streams.ts';
import type { ChatReply, StreamedEvent } from '../../src/chat/types.ts';
import { openConnection } from '../../src/db/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';

const seal = createSeal({ current: 1, byVersion: new Map([[1, Buffer.alloc(32, 7)]]) });
const owner = { accountId: 'acc_1', scope: 'acc_1' };
const secret = 'a text that no copy of the database may show';
const end = {
  kind: 'end' as const,
  reply: { id: 'chg', usage: { cost: 12_345n }, balance: 10n ** 20n, capLeft: undefined } as unknown as ChatReply,
};
const never = new AbortController().signal;

eachServer((server) => {
  const database = useDatabase(server);

  function node(settings: Partial<KeptStreamsSettings> = {}) {
    return createKeptStreams({
      db: database().database,
      seal,
      log: silent,
      settings: { keptMs: 600_000, accountBytesMax: 2 ** 24, bytesMax: 2 ** 30, ...settings },
    });
  }

  async function read(streams: ReturnType<typeof node>, chargeId: string, after = 0, reader = owner) {
    const resumed = await streams.resume(chargeId, reader, { after, signal: never });
    if (!resumed.ok) return resumed.failure.kind;
    const events: StreamedEvent[] = [];
    try {
      for await (const event of resumed.value) events.push(event);
    } catch (error) {
      if (error instanceof FailureError) return { events, failure: error.failure.kind };
      throw error;
    }
    return events;
  }

  const query = async (statement: string) => {
    const connection = await openConnection(database().url);
    try {
      const [rows] = (await connection.query(statement)) as unknown as [Record<string, unknown>[]];
      return rows;
    } finally {
      await connection.end();
    }
  };
  const stateOf = async (chargeId: string) =>
    String((await query(`SELECT state FROM chat_stream WHERE charge_id = '${chargeId}'`))[0]?.state);
  const partsOf = async (chargeId: string) =>
    query(`SELECT sealed FROM chat_stream_part WHERE charge_id = '${chargeId}' ORDER BY first_sequence`);
  const until = (state: string, chargeId: string) =>
    expect.poll(() => stateOf(chargeId), { timeout: 60_000 }).toBe(state);

  test('what is stored is what was sent, amounts and all, and shows nothing to who copies it', async () => {
    const [here, there] = [node(), node()];
    const { events: log } = here.begin('chg_1', owner, () => {});
    log.append({ kind: 'delta', content: secret });
    log.append({ kind: 'delta', content: '\ud800 \u0000 🙂' });
    log.append({ kind: 'delta', toolCall: { index: 0, id: 'c', name: 'f', arguments: '{"nanoUsd":"7"}' } });
    log.append(end);
    const sent = await read(here, 'chg_1');
    await until('ended', 'chg_1');
    expect(await read(there, 'chg_1')).toEqual(sent);
    expect(await read(there, 'chg_1', 3)).toEqual((sent as StreamedEvent[]).slice(3));
    expect(await read(there, 'chg_1', 4)).toEqual([]);
    expect(await read(there, 'chg_1', 5)).toBe('invalid_argument');
    const stored = Buffer.concat((await partsOf('chg_1')).map(({ sealed }) => sealed as Buffer)).toString('latin1');
    expect(stored.length).toBeGreaterThan(secret.length);
    expect(stored).not.toContain(secret.slice(0, 12));
    for (const other of [
      { accountId: 'acc_1', scope: 'acc_1/key/ana' },
      { accountId: 'acc_2', scope: 'acc_2' },
    ])
      expect(await read(there, 'chg_1', 0, other)).toBe('not_found');
    // A part opens at its own place alone.
    await query("UPDATE chat_stream_part SET first_sequence = 2 WHERE charge_id = 'chg_1' AND first_sequence = 1");
    expect(await read(there, 'chg_1')).toEqual({ events: [], failure: 'precondition_failed' });
    await Promise.all([here.close(), there.close()]);
  });

  test('an account that is full begins no more, and a reply that grows beyond the bound goes on but is not kept', async () => {
    const small = node({ accountBytesMax: 100_000 });
    expect(await small.admit('acc_full')).toMatchObject({ ok: true });
    const mine = { accountId: 'acc_full', scope: 'acc_full' };
    const { events: log } = small.begin('chg_long', mine, () => {});
    const reading = log.read(0, never);
    for (let piece = 0; piece < 8; piece++) log.append({ kind: 'delta', content: 'x'.repeat(40_000) });
    await until('dropped', 'chg_long');
    expect(await partsOf('chg_long')).toEqual([]);
    log.append(end);
    let heard = 0;
    for await (const event of reading) heard += event.kind === 'end' ? 1 : 1_000;
    expect(heard).toBe(8_001);
    await expect.poll(() => read(small, 'chg_long', 0, mine), { timeout: 30_000 }).toBe('precondition_failed');

    const { events: other } = small.begin('chg_kept', mine, () => {});
    for (let piece = 0; piece < 2; piece++) other.append({ kind: 'delta', content: 'y'.repeat(30_000) });
    other.append(end);
    await until('ended', 'chg_kept');
    await query("UPDATE chat_stream SET bytes = 99000 WHERE charge_id = 'chg_kept'");
    expect(await small.admit('acc_full')).toMatchObject({ ok: false, failure: { kind: 'rate_limited' } });
    expect(await small.admit('acc_other')).toMatchObject({ ok: true });
    const full = node({ bytesMax: 50_000 });
    await full.sweep();
    expect(await full.admit('acc_other')).toMatchObject({ ok: false, failure: { kind: 'rate_limited' } });
    await Promise.all([small.close(), full.close()]);
  });

  test('what has expired is not found, and is deleted', async () => {
    const streams = node();
    const { events: log } = streams.begin('chg_old', owner, () => {});
    log.append(end);
    await until('ended', 'chg_old');
    expect(await read(node(), 'chg_old')).toHaveLength(1);
    await query("UPDATE chat_stream SET expires_at_us = 1 WHERE charge_id = 'chg_old'");
    expect(await read(node(), 'chg_old')).toBe('not_found');
    await streams.sweep();
    expect(await partsOf('chg_old')).toEqual([]);
    expect(await query("SELECT 1 FROM chat_stream WHERE charge_id = 'chg_old'")).toEqual([]);
    await streams.close();
  });

  test('a node that is gone in the middle is told after what it had stored', async () => {
    const gone = node();
    const { events: log } = gone.begin('chg_gone', owner, () => {});
    log.append({ kind: 'delta', content: 'so far' });
    await expect.poll(async () => (await partsOf('chg_gone')).length, { timeout: 30_000 }).toBe(1);
    await gone.close();
    await query("UPDATE chat_stream SET beat_at_us = 1 WHERE charge_id = 'chg_gone'");
    expect(await read(node(), 'chg_gone')).toMatchObject({
      events: [{ content: 'so far', sequence: 1 }],
      failure: 'precondition_failed',
    });
  });

  test('a node says that it is at work while nothing comes, so that others wait for the end', async () => {
    const [here, there] = [node({ goneMs: 400 }), node()];
    const { events: log } = here.begin('chg_slow', owner, () => {});
    await until('open', 'chg_slow');
    const beat = async () =>
      String((await query("SELECT beat_at_us FROM chat_stream WHERE charge_id = 'chg_slow'"))[0]?.beat_at_us);
    const first = await beat();
    const reading = read(there, 'chg_slow');
    await expect.poll(beat, { timeout: 60_000 }).not.toBe(first);
    log.append(end);
    expect(await reading).toHaveLength(1);
    await Promise.all([here.close(), there.close()]);
  });

  test('a reply that nobody reads is told so once, and not while somebody does', async () => {
    const streams = node({ keptMs: 1_000 });
    let told = 0;
    const { events: log } = streams.begin('chg_alone', owner, () => {
      told += 1;
    });
    const gone = new AbortController();
    const reading = log.read(0, gone.signal).next();
    await pause(2_500);
    expect(told).toBe(0);
    gone.abort();
    await expect(reading).rejects.toThrow('cancelled');
    await expect.poll(() => told, { timeout: 30_000 }).toBe(1);
    log.append(end);
    await until('ended', 'chg_alone');
    await streams.close();
  });
});
