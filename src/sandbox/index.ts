export { type Check, isUnmet, type Outcome, scoreOf } from './check.ts';
export type { CustomOutcome, CustomRules, PatternUse } from './job.ts';
export { createSandbox } from './pool.ts';
export type { JobTerms, Sandbox, SandboxSettings } from './sandbox.ts';
export { type CallersSchema, createSchemas, type Schemas } from './schemas.ts';
export { countPiece, piecesOf } from './tokens.ts';
