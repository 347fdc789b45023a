import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { unwrap } from '../../src/base/failure.ts';
import type { Pulse } from '../../src/pulse/index.ts';
import { createReaper, type Ledger } from '../../src/wallet/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { addCustomer, balanceOf, type Customer, type Node, startNode } from '../wallet/support.ts';
import { callerOf, event, ProcessDied, startPulse } from './support.ts';

const usd = 1_000_000_000n;
const perEvent = 10_000n;

eachServer((server) => {
  const fresh = useDatabase(server);
  let node: Node;
  let pulse: Pulse;
  let customer: Customer;

  beforeEach(async () => {
    node = startNode(fresh().url);
    pulse = startPulse(node.db, node.ledger, { leftBehindAfterSeconds: 0 });
    customer = await addCustomer(node, fresh().url, 5n);
  });
  afterEach(async () => {
    await pulse.close();
    await node.close();
  });

  const caller = (): Caller => ({ ...callerOf(customer.accountId), key: { id: customer.keyId, version: 1 } });

  test('requests at the same time are each charged for the events that they alone brought', async () => {
    const events = Array.from({ length: 500 }, (_, i) => event({ id: `e-${i}`, sessionId: `s${i % 50}` }));
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) =>
        pulse.recordEvents(caller(), events.slice(i * 10, i * 10 + 200)).then(unwrap),
      ),
    );
    const accepted = answers.reduce((sum, answer) => sum + answer.accepted, 0);
    expect(accepted).toBe(490);
    for (const answer of answers) expect(answer.cost).toBe(BigInt(answer.accepted) * perEvent);
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 490n * perEvent, held: 0n });
    const entries = unwrap(await node.wallets.listEntries(customer.accountId, 'api', { pageSize: 100 })).items;
    const charges = entries.filter(({ kind }) => kind === 'usage');
    expect(charges.map(({ amount }) => amount).sort()).toEqual(
      answers.flatMap(({ cost }) => (cost > 0n ? [-cost] : [])).sort(),
    );
    const charge = unwrap(await node.wallets.getCharge(customer.accountId, answers[0]?.charge?.chargeId ?? ''));
    expect(charge).toMatchObject({ operation: 'pulse', priceVersion: 7, usage: { events: answers[0]?.accepted } });
  });

  test('credit for one event of two records neither', async () => {
    const poor = await addCustomer(node, fresh().url, 0n);
    const broke = { ...callerOf(poor.accountId), key: { id: poor.keyId, version: 1 } };
    expect(await pulse.recordEvents(broke, [event(), event()])).toMatchObject({
      failure: { kind: 'insufficient_credit', needed: 2n * perEvent },
    });
  });

  test('a node killed between storing and settling leaves a charge that the next node settles, once', async () => {
    const dying: Pick<Ledger, 'hold' | 'settle' | 'release'> = {
      hold: (request) => node.ledger.hold(request),
      release: (hold, reason) => node.ledger.release(hold, reason),
      settle: () => Promise.reject(new ProcessDied()),
    };
    const first = startPulse(node.db, dying);
    const events = [event({ id: 'k-1' }), event({ id: 'k-2' }), event({ id: 'k-3' })];
    const call = { idempotency: { key: 'retry-me', fingerprint: Buffer.alloc(32, 3) } };
    await expect(first.recordEvents(caller(), events, call)).rejects.toThrow(ProcessDied);
    await first.close();
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd, held: 3n * perEvent });

    const running = startPulse(node.db, node.ledger);
    expect(await running.recordEvents(caller(), events, call)).toMatchObject({
      failure: { kind: 'idempotency_in_flight' },
    });
    await running.close();
    expect(unwrap(await pulse.recordEvents(caller(), events))).toMatchObject({ accepted: 0, duplicates: 3, cost: 0n });
    const other = startPulse(node.db, node.ledger, { leftBehindAfterSeconds: 0 });
    await Promise.all([pulse.recoverCharges(), other.recoverCharges()]);
    await other.close();
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 3n * perEvent, held: 0n });
    expect(unwrap(await pulse.recordEvents(caller(), events, call))).toMatchObject({
      accepted: 3,
      duplicates: 0,
      cost: 3n * perEvent,
    });
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 3n * perEvent, held: 0n });
  });

  test('a charge whose hold has expired meanwhile is settled all the same', async () => {
    const slow = startNode(fresh().url, { holdTtlMs: 100 });
    const dying: Pick<Ledger, 'hold' | 'settle' | 'release'> = {
      hold: (request) => slow.ledger.hold(request),
      release: (hold, reason) => slow.ledger.release(hold, reason),
      settle: () => Promise.reject(new ProcessDied()),
    };
    const first = startPulse(slow.db, dying);
    await expect(first.recordEvents(caller(), [event(), event()])).rejects.toThrow(ProcessDied);
    await first.close();
    await slow.close();
    const reaper = createReaper({ db: node.db, ledger: node.ledger, log: silent, restAfterOutageMs: 0 });
    await expect.poll(() => reaper.runOnce()).toBeGreaterThan(0);
    await reaper.close();
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd, held: 0n });
    expect(await pulse.recoverCharges()).toBe(1);
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 2n * perEvent, held: 0n });
  });

  test('a repeat after all nodes were down, whose hold has expired, gets the first reply and pays for it', async () => {
    const slow = startNode(fresh().url, { holdTtlMs: 100 });
    const first = startPulse(slow.db, {
      hold: (request) => slow.ledger.hold(request),
      release: (hold, reason) => slow.ledger.release(hold, reason),
      settle: () => Promise.reject(new ProcessDied()),
    });
    const events = [event(), event()];
    const call = { idempotency: { key: 'after-the-outage', fingerprint: Buffer.alloc(32, 3) } };
    await expect(first.recordEvents(caller(), events, call)).rejects.toThrow(ProcessDied);
    await first.close();
    await slow.close();
    const reaper = createReaper({ db: node.db, ledger: node.ledger, log: silent, restAfterOutageMs: 0 });
    await expect.poll(() => reaper.runOnce()).toBeGreaterThan(0);
    await reaper.close();
    const repeats = await Promise.all([1, 2, 3].map(() => pulse.recordEvents(caller(), events, call).then(unwrap)));
    for (const repeat of repeats) expect(repeat).toMatchObject({ accepted: 2, duplicates: 0, cost: 2n * perEvent });
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 2n * perEvent, held: 0n });
  });

  test('hundreds of charges left behind are all settled in one round, before their holds expire', async () => {
    const left = startPulse(node.db, {
      hold: (request) => node.ledger.hold(request),
      release: (hold, reason) => node.ledger.release(hold, reason),
      settle: () => Promise.reject(new ProcessDied()),
    });
    const sent = await Promise.allSettled(Array.from({ length: 230 }, () => left.recordEvents(caller(), [event()])));
    expect(sent.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    await left.close();
    expect(await pulse.recoverCharges()).toBe(230);
    expect(await balanceOf(node, customer)).toMatchObject({ balance: 5n * usd - 230n * perEvent, held: 0n });
  });

  test('a charge that cannot be settled keeps no other waiting', async () => {
    const refusing: Pick<Ledger, 'hold' | 'settle' | 'release'> = {
      hold: (request) => node.ledger.hold(request),
      release: (hold, reason) => node.ledger.release(hold, reason),
      settle: () => Promise.reject(new ProcessDied()),
    };
    const dead = startPulse(node.db, refusing, { leftBehindAfterSeconds: 0 });
    await expect(dead.recordEvents(caller(), [event()])).rejects.toThrow(ProcessDied);
    await expect(dead.recordEvents(caller(), [event()])).rejects.toThrow(ProcessDied);
    expect(await dead.recoverCharges()).toBe(0);
    expect(await pulse.recoverCharges()).toBe(2);
    await dead.close();
    expect((await balanceOf(node, customer)).held).toBe(0n);
  });
});
