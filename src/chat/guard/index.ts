export { digestOf, type Guard, type GuardedStream } from './guard.ts';
export { type GuardrailDeps, guardInput, outputDigestOf } from './guard-input.ts';
