/** How many names an account may have. A hostile or broken sender must not grow the rollups without bound. */
export const journeysMax = 500;
export const stepsMax = 200;
export const codesMax = 500;

/** Error codes beyond `codesMax` count under this name, number 0. */
export const otherCode = '(other)';
export const otherCodeNo = 0;

/** What kind of thing a stored name names, and the number by which the database knows the kind. */
export const nameKinds = { journey: 1, step: 2, code: 3 } as const;
export type NameKind = keyof typeof nameKinds;

/** A name and its number. A journey's own row has `journeyNo` 0. */
export interface NameRow {
  kind: NameKind;
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

/** The numbers of one account's names. Names are added, never changed, so a copy can only lack the newest. */
export class Names {
  readonly accountNo: number;
  readonly journeys = new Map<string, JourneyNames>();
  readonly #byNo = new Map<number, JourneyNames>();

  constructor(accountNo: number, rows: Iterable<NameRow>) {
    this.accountNo = accountNo;
    const sorted = [...rows].sort((a, b) => nameKinds[a.kind] - nameKinds[b.kind]);
    for (const row of sorted) this.#add(row);
  }

  byNo(journeyNo: number): JourneyNames {
    const journey = this.#byNo.get(journeyNo);
    if (!journey) throw new Error('a journey has events but no name');
    return journey;
  }

  /** A copy that also has these; the original stays as it is, since its transaction may yet be rolled back. */
  with(added: readonly NameRow[]): Names {
    return new Names(this.accountNo, [...this.rows(), ...added]);
  }

  *rows(): Iterable<NameRow> {
    for (const { no, name, steps, codes } of this.journeys.values()) {
      yield { kind: 'journey', journeyNo: 0, no, name };
      for (const [step, stepNo] of steps) yield { kind: 'step', journeyNo: no, no: stepNo, name: step };
      for (const [code, codeNo] of codes) yield { kind: 'code', journeyNo: no, no: codeNo, name: code };
    }
  }

  #add({ kind, journeyNo, no, name }: NameRow): void {
    if (kind === 'journey') {
      const journey = { no, name, steps: new Map(), stepNames: new Map(), codes: new Map(), codeNames: new Map() };
      this.journeys.set(name, journey);
      this.#byNo.set(no, journey);
      return;
    }
    const journey = this.byNo(journeyNo);
    const [numbers, texts] =
      kind === 'step' ? [journey.steps, journey.stepNames] : [journey.codes, journey.codeNames];
    numbers.set(name, no);
    texts.set(no, name);
  }
}

interface Named {
  journey: string;
  step: string;
  errorCode?: string;
}

/** Whether every name of an event has a number already, or is known to be one too many. */
export function knows(names: Names, event: Named): boolean {
  const journey = names.journeys.get(event.journey);
  if (!journey?.steps.has(event.step)) return false;
  return event.errorCode === undefined || journey.codes.has(event.errorCode) || journey.codes.size >= codesMax;
}

/** The names that must be added before these events can be stored, as far as the bounds allow. */
export function missingNames(names: Names, events: Iterable<Named>): NameRow[] {
  const added: NameRow[] = [];
  let grown = names;
  for (const event of events) {
    const rows = missingOf(grown, event);
    if (rows.length === 0) continue;
    added.push(...rows);
    grown = grown.with(rows);
  }
  return added;
}

function missingOf(names: Names, event: Named): NameRow[] {
  const rows: NameRow[] = [];
  const journey = names.journeys.get(event.journey);
  if (!journey && names.journeys.size >= journeysMax) return rows;
  const journeyNo = journey?.no ?? names.journeys.size + 1;
  if (!journey) rows.push({ kind: 'journey', journeyNo: 0, no: journeyNo, name: event.journey });
  const steps = journey?.steps.size ?? 0;
  if (!journey?.steps.has(event.step)) {
    if (steps >= stepsMax) return rows;
    rows.push({ kind: 'step', journeyNo, no: steps + 1, name: event.step });
  }
  const codes = journey?.codes.size ?? 0;
  if (event.errorCode !== undefined && !journey?.codes.has(event.errorCode) && codes < codesMax) {
    rows.push({ kind: 'code', journeyNo, no: codes + 1, name: event.errorCode });
  }
  return rows;
}
