// What models that rank documents cost, where their providers bill by the search. Nodes from before this step do not know it, so such
// prices are imported when the last of them is gone.
export const statements: readonly string[] = [
  'ALTER TABLE price ADD COLUMN per_thousand_search_units BIGINT NULL',
  'ALTER TABLE price ADD CONSTRAINT price_search_units_at_least_0 CHECK (per_thousand_search_units >= 0)',
];
