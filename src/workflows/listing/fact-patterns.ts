import { namedFacts } from './named-facts.ts';
import { datePatterns } from './patterns/dates.ts';
import { electronicsPatterns } from './patterns/electronics.ts';
import { jobPatterns } from './patterns/jobs.ts';
import { makePatterns } from './patterns/makes.ts';
import { measurePatterns } from './patterns/measures.ts';
import type { FactPattern } from './patterns/pattern.ts';
import { placePatterns } from './patterns/places.ts';
import { pricePatterns } from './patterns/price.ts';
import { propertyPatterns } from './patterns/property.ts';
import { servicePatterns } from './patterns/services.ts';
import { thingPatterns } from './patterns/things.ts';
import { vehiclePatterns } from './patterns/vehicles.ts';

/** The languages in which the patterns read prose. */
export const factLanguages = ['en', 'de', 'es', 'fr'] as const;

/** For all kinds of things; replies list facts in this order. */
export const factPatterns: readonly FactPattern[] = [
  ...vehiclePatterns,
  ...propertyPatterns,
  ...electronicsPatterns,
  ...jobPatterns,
  ...thingPatterns,
  ...servicePatterns,
  ...measurePatterns,
  ...pricePatterns,
  ...makePatterns,
  ...datePatterns,
  ...namedFacts,
  ...placePatterns,
];
