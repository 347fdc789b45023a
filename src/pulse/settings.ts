import { getOrMake } from './get-or-make.ts';
import type { Plan } from './plan.ts';

/** How many properties an account may have declared at one time, and ever. */
export const propertiesMax = 8;
export const propertiesEverMax = 32;
/** How many declarations a journey may have over its whole life. */
export const plansMax = 100;

export interface Property {
  no: number;
  name: string;
  /** Whether new events are searched for it. An inactive property keeps what it has. */
  active: boolean;
}

export interface PlanRow {
  journeyNo: number;
  plan: Plan;
}

/** What an account has declared. Always read as a whole; a newer version replaces it. */
export interface Settings {
  version: number;
  properties: readonly Property[];
  /** Looks up any version of a journey's declaration. */
  plan(journeyNo: number, version: number): Plan | undefined;
  /** The newest version; undefined if there has never been one. */
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
