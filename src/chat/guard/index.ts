export { digestOf, type Guard, type GuardedStream } from './guard.ts';
export { type GuardrailDeps, guardInput } from './guard-input.ts';
