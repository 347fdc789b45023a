import { getOrMake } from './get-or-make.ts';
import { type NamedTrait, otherValue } from './names.ts';
import type { Plan } from './plan.ts';

/** Properties that an account may have declared at one time, and ever. */
export const propertiesMax = 8;
export const propertiesEverMax = 32;
/** A journey's declarations over its whole life. */
export const plansMax = 100;

const valueLengthMax = 64;

export interface Property {
  no: number;
  name: string;
  /** New events are looked through for it. One that is not keeps what it has. */
  active: boolean;
}

export interface PlanRow {
  journeyNo: number;
  plan: Plan;
}

/** What an account has declared. Read only as a whole; a newer version replaces it. */
export interface Settings {
  version: number;
  properties: readonly Property[];
  /** All versions of one journey's declaration. */
  plan(journeyNo: number, version: number): Plan | undefined;
  /** The newest version; undefined when there was never one. */
  newestPlan(journeyNo: number): Plan | undefined;
}

export function createSettings(version: number, properties: readonly Property[], plans: readonly PlanRow[]): Settings {
  const journeys = new Map<number, Map<number, Plan>>();
  const newest = new Map<number, Plan>();
  for (const { journeyNo, plan } of plans) {
    getOrMake(journeys, journeyNo, () => new Map<number, Plan>()).set(plan.version, plan);
    if (plan.version > (newest.get(journeyNo)?.version ?? 0)) newest.set(journeyNo, plan);
  }
  return {
    version,
    properties,
    plan: (journeyNo, planVersion) => journeys.get(journeyNo)?.get(planVersion),
    newestPlan: (journeyNo) => newest.get(journeyNo),
  };
}

/** What an event's properties say of those that are declared. */
export function traitsOf(declared: readonly Property[], given: object | undefined): NamedTrait[] {
  const traits: NamedTrait[] = [];
  if (given === undefined) return traits;
  for (const { no, name, active } of declared) {
    if (!active || !Object.hasOwn(given, name)) continue;
    const value = valueText((given as Record<string, unknown>)[name]);
    if (value !== undefined) traits.push({ propertyNo: no, value });
  }
  return traits;
}

/** A text, a number or a truth value as the text by which it counts; nothing for anything else. */
function valueText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  return value.length <= valueLengthMax && value.isWellFormed() ? value : otherValue;
}
