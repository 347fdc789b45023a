import fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { nanoPerUsd } from '../../src/base/money.ts';
import type { Hold } from '../../src/wallet/index.ts';
import { type Books, balanceIn, eachBooks, type LedgerNode } from './books.ts';
import { type Customer, holdOf, keyOf } from './support.ts';

/** The ideal ledger in a few lines: no groups, no database, no concurrency. */
interface ModelCharge {
  hold: bigint;
  progress: bigint;
  state: 'held' | 'settled' | 'released' | 'expired' | 'superseded';
  settled: bigint;
  owed: bigint;
  key: string | undefined;
}

class Model {
  posted = 0n;
  /** What is currently owed, for any charge. */
  owed = 0n;
  charges: ModelCharge[] = [];
  /** Who has each idempotency key, and how many charges have had it. */
  keys = new Map<string, { charge: ModelCharge; fence: bigint }>();
  spentUnderCap = 0n;
  heldUnderCap = 0n;

  get held(): bigint {
    return this.charges.reduce((sum, { state, hold }) => (state === 'held' ? sum + hold : sum), 0n);
  }

  get free(): bigint {
    return this.posted - this.held;
  }

  /** New credit first pays what is owed. */
  repay(): void {
    const paid = least(this.owed, this.free);
    this.owed -= paid;
    this.posted -= paid;
  }
}

interface World {
  books: Books;
  node: LedgerNode;
  customer: Customer;
  holds: Hold[];
}

type Step = fc.AsyncCommand<Model, World>;

const cap = 4n * nanoPerUsd;
const least = (a: bigint, b: bigint) => (a < b ? a : b);
const most = (a: bigint, b: bigint) => (a > b ? a : b);

const capsOf = ({ keyId }: Customer) => [{ owner: `key:${keyId}`, limit: cap }];

class TopUp implements Step {
  readonly extra: bigint;
  constructor(extra: bigint) {
    this.extra = extra;
  }
  check = () => true;
  async run(model: Model, { books, customer }: World): Promise<void> {
    const amount = 5n * nanoPerUsd + this.extra;
    await books.addCredit(customer, amount);
    model.posted += amount;
    model.repay();
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
  async run(model: Model, { books, node, customer, holds }: World): Promise<void> {
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
    const taken = key === undefined ? undefined : model.keys.get(key);
    const room = cap - model.heldUnderCap - model.spentUnderCap;
    if (taken?.charge.state === 'held')
      return void expect(outcome).toMatchObject({ failure: { kind: 'idempotency_in_flight' } });
    if (taken?.charge.state === 'settled') {
      const { settled: charged, owed } = taken.charge;
      return void expect(outcome).toMatchObject({ value: { receipt: { state: 'settled', charged, owed } } });
    }
    if (model.owed > 0n || least(ceiling, model.free) < minimum)
      return void expect(outcome).toMatchObject({ failure: { kind: 'insufficient_credit', balance: model.posted } });
    if (room < minimum) return void expect(outcome).toMatchObject({ failure: { kind: 'spending_cap_reached' } });
    const amount = least(least(ceiling, model.free), room);
    if (!outcome.ok || outcome.value.kind !== 'held') throw new Error('There is credit, but no hold was given.');
    expect(outcome.value.hold.amount).toBe(amount);
    holds.push(outcome.value.hold);
    const charge: ModelCharge = { hold: amount, progress: 0n, state: 'held', settled: 0n, owed: 0n, key };
    model.charges.push(charge);
    model.heldUnderCap += amount;
    if (key === undefined) return;
    const fence = (taken?.fence ?? 0n) + 1n;
    model.keys.set(key, { charge, fence });
    expect(await books.keyRow(customer.accountId, key)).toMatchObject({ chargeId: holds.at(-1)?.chargeId, fence });
  }
  toString = () => `hold ${this.minimum}..${this.ceiling} ${this.key ?? ''}`;
}

/** A complete request without caps whose hold may be deferred, and that ends before or after the hold's commit. */
class PayDeferred implements Step {
  readonly ceiling: bigint;
  /** Undefined: it is released. */
  readonly cost: bigint | undefined;
  readonly deferMs: number;
  readonly waits: boolean;
  constructor(ceiling: bigint, cost: bigint | undefined, deferMs: number, waits: boolean) {
    this.ceiling = ceiling;
    this.cost = cost;
    this.deferMs = deferMs;
    this.waits = waits;
  }
  check = () => true;
  async run(model: Model, { node, customer }: World): Promise<void> {
    const { ceiling, cost } = this;
    const available = model.free;
    const outcome = await node.ledger.hold(holdOf(customer, { ceiling, deferMs: this.deferMs }));
    if (available < 1n || model.owed > 0n)
      return void expect(outcome).toMatchObject({ failure: { kind: 'insufficient_credit' } });
    if (!outcome.ok || outcome.value.kind !== 'held') throw new Error('There is credit, but no hold was given.');
    const { hold } = outcome.value;
    expect(hold.amount).toBe(least(ceiling, available));
    if (hold.pending) expect(ceiling * 4n).toBeLessThanOrEqual(available);
    if (this.waits && this.deferMs <= 1) expect((await hold.pending)?.ok).not.toBe(false);
    if (cost === undefined) return node.ledger.release(hold, 'test');
    const receipt = await node.ledger.settle(hold, { cost, usage: {} });
    const charged = least(cost, hold.amount);
    model.posted -= charged;
    expect(receipt).toMatchObject({ state: 'settled', charged, balance: model.posted });
  }
  toString = () => `pay ${this.cost ?? 'nothing'} of ${this.ceiling}, ${this.deferMs} ms deferred`;
}

/** A step on one of the existing charges, whatever its state: clients repeat themselves and are late. */
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
  readonly delivered: boolean;
  constructor(pick: number, cost: bigint, delivered: boolean) {
    super(pick);
    this.cost = cost;
    this.delivered = delivered;
  }
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    const { delivered } = this;
    const receipt = await world.node.ledger.settle(hold, {
      ...{ cost: this.cost, usage: {}, reply: Buffer.from('reply'), delivered },
    });
    // What its holder knows about the hold; it may have grown since.
    const cost = least(this.cost, delivered ? hold.ceiling : hold.amount);
    if (charge.state === 'held') {
      const captured = least(cost, charge.hold + model.free);
      this.end(model, charge, 'settled', captured);
      charge.owed = cost - captured;
      model.owed += charge.owed;
      model.spentUnderCap += charge.owed;
    } else if (charge.state === 'expired') this.#settleLate(model, charge, cost);
    const { state, settled: charged, owed } = charge;
    expect(receipt).toMatchObject({ state, charged, owed, balance: model.posted });
  }
  #settleLate(model: Model, charge: ModelCharge, cost: bigint): void {
    const taken = charge.key === undefined ? undefined : model.keys.get(charge.key);
    if (taken && taken.charge !== charge) {
      charge.state = 'superseded';
      return;
    }
    const unpaid = cost - charge.settled;
    const missing = least(unpaid, most(cap - model.heldUnderCap - model.spentUnderCap, 0n));
    const paid = least(missing, model.free);
    if (paid < unpaid && !this.delivered) {
      if (charge.settled === 0n) return;
      // Nobody has seen it, so what the expiry took is returned.
      model.posted += charge.settled;
      model.spentUnderCap -= charge.settled;
      charge.settled = 0n;
      charge.state = 'released';
      return;
    }
    model.posted -= paid;
    model.owed += missing - paid;
    model.spentUnderCap += missing;
    charge.settled += paid;
    charge.owed = missing - paid;
    charge.state = 'settled';
    if (charge.key !== undefined) model.keys.set(charge.key, { charge, fence: taken?.fence ?? 1n });
  }
  override toString = () => `settle #${this.pick} at ${this.cost}${this.delivered ? ', delivered' : ''}`;
}

class Release extends ChargeStep {
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    await world.node.ledger.release(hold, 'test');
    if (charge.state !== 'held') return;
    this.end(model, charge, 'released', 0n);
    if (charge.key !== undefined) model.keys.delete(charge.key);
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

/** States a total from what its holder knows, which may be older than the hold's current state. */
class Extend extends ChargeStep {
  readonly more: bigint;
  readonly forgets: boolean;
  constructor(pick: number, more: bigint, forgets: boolean) {
    super(pick);
    this.more = more;
    this.forgets = forgets;
  }
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    const outcome = await world.node.ledger.extend(hold, this.more);
    const [asked, minimum] = [hold.amount + this.more - charge.hold, hold.amount + 1n - charge.hold];
    const room = least(model.free, cap - model.heldUnderCap - model.spentUnderCap);
    const added = model.owed > 0n || room < most(minimum, 0n) ? 0n : most(0n, least(asked, room));
    expect(outcome.ok).toBe(charge.state === 'held' && (added > 0n || minimum <= 0n));
    if (!outcome.ok) return;
    charge.hold += added;
    model.heldUnderCap += added;
    expect(outcome.value.amount).toBe(charge.hold);
    if (!this.forgets) world.holds[model.charges.indexOf(charge)] = outcome.value;
  }
  override toString = () => `extend #${this.pick} by ${this.more}${this.forgets ? ', unheard' : ''}`;
}

class Expire extends ChargeStep {
  override async act({ model, charge, hold, world }: Parameters<ChargeStep['act']>[0]): Promise<void> {
    await world.books.makeOverdue(hold.chargeId);
    await world.books.reap(world.node);
    if (charge.state === 'held') this.end(model, charge, 'expired', charge.key === undefined ? charge.progress : 0n);
    // The reaper collects what is owed as well.
    model.repay();
  }
  override toString = () => `expire #${this.pick}`;
}

class Adjust implements Step {
  readonly amount: bigint;
  constructor(amount: bigint) {
    this.amount = amount;
  }
  check = () => this.amount !== 0n;
  async run(model: Model, { books, node, customer }: World): Promise<void> {
    const { id: walletId } = await books.walletOf(customer);
    const adjusted = await node.ledger.committer.submit({
      ...{ type: 'adjust', walletId, adjustmentId: newId('adj'), amount: this.amount, reason: 'test', actor: 'test' },
      ...{ idempotencyKey: newId('adj'), chargeId: undefined },
    });
    const possible = this.amount > 0n || model.free >= -this.amount;
    expect(adjusted.ok).toBe(possible);
    if (possible) model.posted += this.amount;
  }
  toString = () => `adjust by ${this.amount}`;
}

class Look implements Step {
  check = () => true;
  async run(model: Model, { books, customer }: World): Promise<void> {
    const { posted, held, owed } = model;
    expect(await balanceIn(books, customer)).toEqual({ balance: posted, held, available: posted - held, owed });
    expect(model.heldUnderCap + model.spentUnderCap).toBeLessThanOrEqual(cap);
    expect(await books.audit()).toEqual([]);
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
    .map(([ceiling, cost, deferMs, waits]) => new PayDeferred(ceiling, cost ?? undefined, deferMs, waits)),
  fc
    .tuple(pick, fc.oneof(fc.constant(0n), amount), fc.boolean())
    .map(([index, cost, delivered]) => new Settle(index, cost, delivered)),
  pick.map((index) => new Release(index)),
  fc.tuple(pick, amount).map(([index, cost]) => new Progress(index, cost)),
  fc.tuple(pick, amount, fc.boolean()).map(([index, more, forgets]) => new Extend(index, more, forgets)),
  pick.map((index) => new Expire(index)),
  fc.bigInt(-2n * nanoPerUsd, nanoPerUsd).map((change) => new Adjust(change)),
  fc.constant(new Look()),
];

eachBooks((books) => {
  test('any order of steps leads where the model leads, with every invariant kept', { timeout: 600_000 }, async () => {
    const seed = Number(process.env.SIMULATION_SEED ?? Date.now() % 2_147_483_647);
    const node = books().startNode();
    try {
      await fc.assert(
        fc.asyncProperty(fc.commands(steps, { maxCommands: 60, size: 'max' }), async (commands) => {
          const customer = await books().addCustomer();
          const world: World = { books: books(), node, customer, holds: [] };
          await fc.asyncModelRun(() => ({ model: new Model(), real: world }), [...commands, new Look()]);
        }),
        { seed, numRuns: Number(process.env.SIMULATION_RUNS ?? 25) },
      );
    } finally {
      await node.close();
    }
  });
});
