// The rate for models that rank documents, if their providers bill by the search. Nodes from before this migration do not know
// it, so import such prices only when the last such node is gone.
export const statements: readonly string[] = [
  'ALTER TABLE price ADD COLUMN per_thousand_search_units BIGINT NULL',
  'ALTER TABLE price ADD CONSTRAINT price_search_units_at_least_0 CHECK (per_thousand_search_units >= 0)',
];
