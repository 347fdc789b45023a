import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nanoPerUsd } from '../../src/base/money.ts';
import { auditLedger, createCaretaker, type Hold } from '../../src/wallet/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { addCustomer, type Customer, holdOf, keyOf, type Node, run, startNode } from './support.ts';

/** The ledger as it should be, in a few lines: no groups, no database, no concurrency. */
interface ModelCharge {
  hold: bigint;
  progress: bigint;
  state: 'held' | 'settled' | 'released' | 'expired' | 'uncollected';
  settled: bigint;
  key: string | undefined;
}

class Model {
  posted = 0n;
  charges: ModelCharge[] = [];
  spentUnderCap = 0n;
  heldUnderCap = 0n;

  get held(): bigint {
    return this.charges.reduce((sum, { state, hold }) => (state === 'held' ? sum + hold : sum), 0n);
  }
}

interface World {
  node: Node;
  url: string;
  customer: Customer;
  holds: Hold[];
}

type Step = fc.AsyncCommand<Model, World>;

const cap = 4n * nanoPerUsd;
const least = (a: bigint, b: bigint) => (a < b ? a : b);

const capsOf = ({ keyId }: Customer) => [{ owner: `key:${keyId}`, limit: cap }];

class TopUp implements Step {
  readonly extra: bigint;
  constructor(extra: bigint) {
    this.extra = extra;
  }
  check = () => true;
  async run(model: Model, { node, customer }: World): Promise<void> {
    const amount = 5n * nanoPerUsd + this.extra;
    const made = await node.wallets.topUps.create({ ...customer, kind: 'api', amount });
    expect(made).toMatchObject({ ok: true, value: { state: 'paid' } });
    model.posted += amount;
  }
  toString = () => `top up 5 USD + ${this.extra}`;
}

class HoldCredit implements Step {
  readonly ceiling: bigint;
  readonly minimum: bigint;
  readonly key: string | undefined;
  constructor(ceiling: bigint, minimum: bigint, key: string | undefined) {
    this.ceiling = ceiling;
    this.minimum = minimum;
    this.key = key;
  }
  check = () => true;
  async run(model: Model, { node, customer, holds }: World): Promise<void> {
    const { ceiling, key } = this;
    const minimum = least(this.minimum, ceiling);
    const outcome = await node.ledger.hold(
      holdOf(customer, {
        ceiling,
        minimum,
        caps: capsOf(customer),
        ttlMs: 3_600_000,
        ...(key !== undefined && { idempotency: keyOf(customer, key) }),
      }),
    );
    const earlier = model.charges.find(
      (charge) => key !== undefined && charge.key === key && (charge.state === 'held' || charge.state === 'settled'),
    );
    const room = cap - model.heldUnderCap - model.spentUnderCap;
    const available = model.posted - model.held;
    if (earlier?.state === 'held')
      return void expect(outcome).toMatchObject({ failure: { kind: 'idempotency_in_flight' } });
    if (earlier) return void expect(outcome).toMatchObject({ value: { receipt: { charged: earlier.settled } } });
    if (least(ceiling, available) < minimum)
      return void expect(outcome).toMatchObject({ failure: { kind: 'insufficient_credit', balance: model.posted } });
    if (room < minimum) return void expect(outcome).toMatchObject({ failure: { kind: 'spending_cap_reached' } });
    const amount = least(least(ceiling, available), room);
    if (!outcome.ok || outcome.value.kind !== 'held') throw new Error('There is credit, but no hold was given.');
    expect(outcome.value.hold.amount).toBe(amount);
    holds.push(outcome.value.hold);
    model.charges.push({ hold: amount, progress: 0n, state: 'held', settled: 0n, key });
    model.heldUnderCap += amount;
  }
  toString = () => `hold ${this.minimum}..${this.ceiling} ${this.key ?? ''}`;
}

/** A request without caps whose hold may be ahead of its commit, to its end: sooner than that commit, or later. */
class PayAhead implements Step {
  readonly ceiling: bigint;
  /** Undefined: it is released. */
  readonly cost: bigint | undefined;
  readonly aheadMs: number;
  readonly waits: boolean;
  constructor(ceiling: bigint, cost: bigint | undefined, aheadMs: number, waits: boolean) {
    this.ceiling = ceiling;
    this.cost = cost;
    this.aheadMs = aheadMs;
    this.waits = waits;
  }
  check = () => true;
  async run(model: Model, { node, customer }: World): Promise<void> {
    const { ceiling, cost } = this;
    const available = model.posted - model.held;
    const outcome = await node.ledger.hold(holdOf(customer, { ceiling, aheadMs: this.aheadMs }));
    if (available < 1n) return void expect(outcome).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    if (!outcome.ok || outcome.value.kind !== 'held') throw new Error('There is credit, but no hold was given.');
    const { hold } = outcome.value;
    expect(hold.amount).toBe(least(ceiling, available));
    if (hold.pending) expect(ceiling * 4n).toBeLessThanOrEqual(available);
    if (this.waits && this.aheadMs <= 1) expect((await hold.pending)?.ok).not.toBe(false);
    if (cost === undefined) return node.ledger.release(hold, 'test');
    const receipt = await node.ledger.settle(hold, { cost, usage: {} });
    const charged = least(cost, hold.amount);
    model.posted -= charged;
    expect(receipt).toMatchObject({ state: 'settled', charged, balance: model.posted });
  }
  toString = () => `pay ${this.cost ?? 'nothing'} of ${this.ceiling}, ${this.aheadMs} ms ahead`;
}

/** A step on one of the charges there are, whatever its state: clients repeat themselves and come late. */
abstract class ChargeStep implements Step {
  readonly pick: number;
  constructor(pick: number) {
    this.pick = pick;
  }
  check = (model: Readonly<Model>) => model.charges.length > 0;
  async run(model: Model, world: World): Promise<void> {
    const index = this.pick % model.charges.length;
    const [charge, hold] = [model.charges[index], world.holds[index]];
    if (!charge || !hold) throw new Error('Model and world differ.');
    await this.act({ model, charge, hold, world });
  }
  abstract act(step: { model: Model; charge: ModelCharge; hold: Hold; world: World }): Promise<void>;

  end(model: Model, charge: ModelCharge, state: ModelCharge['state'], captured: bigint): void {
    model.posted -= captured;
    model.heldUnderCap -= charge.hold;
    model.spentUnderCap += captured;
    charge.state = state;
    charge.settled = captured;
  }
}

class Settle extends ChargeStep {
  readonly cost: bigint;
  constructor(pick: number, cost: bigint) {
    super(pick);

    this.cost = cost;
  }
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    const receipt = await world.node.ledger.settle(hold, { cost: this.cost, usage: {}, reply: Buffer.from('reply') });
    const due = least(this.cost, charge.hold);
    if (charge.state === 'held') this.end(model, charge, 'settled', due);
    else if (charge.state === 'expired') {
      const missing = due > charge.settled ? due - charge.settled : 0n;
      if (missing > model.posted - model.held) charge.state = 'uncollected';
      else {
        model.posted -= missing;
        model.spentUnderCap += missing;
        charge.settled += missing;
        charge.state = 'settled';
        charge.key = undefined;
      }
    }
    expect(receipt).toMatchObject({ state: charge.state, charged: charge.settled, balance: model.posted });
  }
  override toString = () => `settle #${this.pick} at ${this.cost}`;
}

class Release extends ChargeStep {
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    await world.node.ledger.release(hold, 'test');
    if (charge.state === 'held') this.end(model, charge, 'released', 0n);
  }
  override toString = () => `release #${this.pick}`;
}

class Progress extends ChargeStep {
  readonly cost: bigint;
  constructor(pick: number, cost: bigint) {
    super(pick);

    this.cost = cost;
  }
  override async act({ charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    await world.node.ledger.recordProgress(hold, { cost: this.cost, usage: {} });
    const cost = least(this.cost, charge.hold);
    if (charge.state === 'held' && cost > charge.progress) charge.progress = cost;
  }
  override toString = () => `progress of #${this.pick} to ${this.cost}`;
}

class Extend extends ChargeStep {
  readonly more: bigint;
  constructor(pick: number, more: bigint) {
    super(pick);

    this.more = more;
  }
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    const outcome = await world.node.ledger.extend(hold, this.more);
    const amount = least(least(this.more, model.posted - model.held), cap - model.heldUnderCap - model.spentUnderCap);
    expect(outcome.ok).toBe(charge.state === 'held' && amount > 0n);
    if (!outcome.ok) return;
    charge.hold += amount;
    model.heldUnderCap += amount;
    expect(outcome.value.amount).toBe(charge.hold);
  }
  override toString = () => `extend #${this.pick} by ${this.more}`;
}

class Expire extends ChargeStep {
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    await run(world.url, `UPDATE charge SET expires_at_us = 1 WHERE id = '${hold.chargeId}' AND state = 'held'`);
    await createCaretaker({ db: world.node.db, ledger: world.node.ledger, log: silent }).runOnce();
    if (charge.state === 'held') this.end(model, charge, 'expired', charge.progress);
  }
  override toString = () => `expire #${this.pick}`;
}

class Adjust implements Step {
  readonly amount: bigint;
  constructor(amount: bigint) {
    this.amount = amount;
  }
  check = () => this.amount !== 0n;
  async run(model: Model, { node, customer }: World): Promise<void> {
    const adjusted = await node.wallets.adjust({
      accountId: customer.accountId,
      kind: 'api',
      amount: this.amount,
      reason: 'test',
      actor: 'test',
      idempotencyKey: `${Math.random()}`,
    });
    const possible = this.amount > 0n || model.posted - model.held >= -this.amount;
    expect(adjusted.ok).toBe(possible);
    if (possible) model.posted += this.amount;
  }
  toString = () => `adjust by ${this.amount}`;
}

class Look implements Step {
  check = () => true;
  async run(model: Model, { node, customer }: World): Promise<void> {
    const { posted, held } = model;
    const wallet = await node.wallets.get(customer.accountId, 'api');
    expect(wallet).toMatchObject({ value: { balance: posted, held, available: posted - held, paused: posted === 0n } });
    expect(await auditLedger(node.db)).toEqual([]);
  }
  toString = () => 'look and audit';
}

const amount = fc.oneof(fc.bigInt(1n, 20n), fc.bigInt(1n, 6n * nanoPerUsd));
const pick = fc.nat(30);
const steps = [
  fc.bigInt(0n, nanoPerUsd).map((extra) => new TopUp(extra)),
  fc
    .tuple(amount, amount, fc.option(fc.constantFrom('a', 'b', 'c'), { nil: undefined }))
    .map(([ceiling, minimum, key]) => new HoldCredit(ceiling, minimum, key)),
  fc
    .tuple(amount, fc.option(fc.oneof(fc.constant(0n), amount)), fc.constantFrom(0, 1, 60_000), fc.boolean())
    .map(([ceiling, cost, aheadMs, waits]) => new PayAhead(ceiling, cost ?? undefined, aheadMs, waits)),
  fc.tuple(pick, fc.oneof(fc.constant(0n), amount)).map(([index, cost]) => new Settle(index, cost)),
  pick.map((index) => new Release(index)),
  fc.tuple(pick, amount).map(([index, cost]) => new Progress(index, cost)),
  fc.tuple(pick, amount).map(([index, more]) => new Extend(index, more)),
  pick.map((index) => new Expire(index)),
  fc.bigInt(-2n * nanoPerUsd, nanoPerUsd).map((change) => new Adjust(change)),
  fc.constant(new Look()),
];

eachServer((server) => {
  const database = useDatabase(server);

  test('any order of steps leads where the model leads, with every invariant kept', { timeout: 120_000 }, async () => {
    const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 2_147_483_647);
    const { url } = database();
    const node = startNode(url);
    try {
      await fc.assert(
        fc.asyncProperty(fc.commands(steps, { maxCommands: 60, size: 'max' }), async (commands) => {
          const customer = await addCustomer(node, url);
          const world: World = { node, url, customer, holds: [] };
          await fc.asyncModelRun(() => ({ model: new Model(), real: world }), [...commands, new Look()]);
        }),
        { seed, numRuns: Number(process.env.SIMULATION_RUNS ?? 25) },
      );
    } finally {
      await node.close();
    }
  });
});
