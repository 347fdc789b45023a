import { getOrMake } from './get-or-make.ts';

/** How many names an account may have, so that a hostile or broken sender cannot grow the rollups without bound. */
export const journeysMax = 200;
export const stepsMax = 100;
export const codesMax = 200;

/** Values of one property. */
export const valuesMax = 50;

/** A property's values beyond `valuesMax`, and those that are too long, count under this name, number 0. */
export const otherValue = '(other)';
export const otherValueNo = 0;

/** Error codes beyond `codesMax` count under this name, number 0. */
export const otherCode = '(other)';
export const otherCodeNo = 0;

/** The kinds of things that have names, each with its number in the database. */
export const nameKinds = { journey: 1, step: 2, code: 3, value: 4 } as const;
export type NameKind = keyof typeof nameKinds;

/** A name and its number. */
export interface NameRow {
  kind: NameKind;
  /** For a step or code, its journey; for a value, its property; 0 for a journey itself. */
  journeyNo: number;
  no: number;
  name: string;
}

export interface JourneyNames {
  no: number;
  name: string;
  steps: Map<string, number>;
  stepNames: Map<number, string>;
  codes: Map<string, number>;
  codeNames: Map<number, string>;
}

/**
 * The numbers of one account's names. Names are added, never changed, so a copy can only lack the newest. Discard a copy whose
 * transaction was rolled back.
 */
export class Names {
  readonly journeys = new Map<string, JourneyNames>();
  readonly #byNo = new Map<number, JourneyNames>();
  readonly #values = new Map<number, ValueNames>();
  size = 0;

  constructor(rows: Iterable<NameRow>) {
    const sorted = [...rows].sort((a, b) => nameKinds[a.kind] - nameKinds[b.kind]);
    for (const row of sorted) this.#add(row);
  }

  byNo(journeyNo: number): JourneyNames {
    const journey = this.#byNo.get(journeyNo);
    if (!journey) throw new Error('a journey has events but no name');
    return journey;
  }

  /** The number under which a property's value counts; undefined if it could still get its own. */
  valueNo(propertyNo: number, value: string): number | undefined {
    const numbers = this.#values.get(propertyNo)?.numbers;
    const known = numbers?.get(value);
    if (known !== undefined) return known;
    return value === otherValue || (numbers?.size ?? 0) >= valuesMax ? otherValueNo : undefined;
  }

  valueName(propertyNo: number, valueNo: number): string {
    return this.#values.get(propertyNo)?.texts.get(valueNo) ?? otherValue;
  }

  /** A property's values, in the order in which they first appeared. */
  valuesOf(propertyNo: number): string[] {
    return [...(this.#values.get(propertyNo)?.numbers.keys() ?? [])];
  }

  /** Whether an event has no journey, step or code name that could still be added. */
  knows(event: Named): boolean {
    const journey = this.journeys.get(event.journey);
    if (!journey) return this.journeys.size >= journeysMax;
    if (!journey.steps.has(event.step)) return journey.steps.size >= stepsMax;
    return event.errorCode === undefined || journey.codes.has(event.errorCode) || journey.codes.size >= codesMax;
  }

  /** Numbers the new names in these events, within the limits, and returns what was added. */
  addMissing(events: Iterable<Named>): NameRow[] {
    const added: NameRow[] = [];
    for (const event of events) {
      if (!this.knows(event)) added.push(...this.#addNamesOf(event));
      for (const trait of event.traits ?? [])
        if (this.valueNo(trait.propertyNo, trait.value) === undefined) added.push(this.#addValue(trait));
    }
    return added;
  }

  #addValue({ propertyNo, value }: NamedTrait): NameRow {
    const no = (this.#values.get(propertyNo)?.numbers.size ?? 0) + 1;
    const row: NameRow = { kind: 'value', journeyNo: propertyNo, no, name: value };
    this.#add(row);
    return row;
  }

  #addNamesOf(event: Named): NameRow[] {
    const rows: NameRow[] = [];
    const add = (row: NameRow) => {
      this.#add(row);
      rows.push(row);
    };
    if (!this.journeys.has(event.journey)) {
      if (this.journeys.size >= journeysMax) return rows;
      add({ kind: 'journey', journeyNo: 0, no: this.journeys.size + 1, name: event.journey });
    }
    const journey = this.journeys.get(event.journey);
    if (!journey) return rows;
    if (!journey.steps.has(event.step)) {
      if (journey.steps.size >= stepsMax) return rows;
      add({ kind: 'step', journeyNo: journey.no, no: journey.steps.size + 1, name: event.step });
    }
    const code = event.errorCode;
    if (code !== undefined && !journey.codes.has(code) && journey.codes.size < codesMax) {
      add({ kind: 'code', journeyNo: journey.no, no: journey.codes.size + 1, name: code });
    }
    return rows;
  }

  #add({ kind, journeyNo, no, name }: NameRow): void {
    this.size++;
    if (kind === 'journey') {
      const journey = { no, name, steps: new Map(), stepNames: new Map(), codes: new Map(), codeNames: new Map() };
      this.journeys.set(name, journey);
      this.#byNo.set(no, journey);
      return;
    }
    if (kind === 'value') {
      const values = getOrMake(this.#values, journeyNo, () => ({ numbers: new Map(), texts: new Map() }));
      values.numbers.set(name, no);
      values.texts.set(no, name);
      return;
    }
    const journey = this.byNo(journeyNo);
    const [numbers, texts] = kind === 'step' ? [journey.steps, journey.stepNames] : [journey.codes, journey.codeNames];
    numbers.set(name, no);
    texts.set(no, name);
  }
}

interface ValueNames {
  numbers: Map<string, number>;
  texts: Map<number, string>;
}

/** An event's value for one declared property. */
export interface NamedTrait {
  propertyNo: number;
  value: string;
}

interface Named {
  journey: string;
  step: string;
  errorCode?: string;
  traits?: readonly NamedTrait[];
}
