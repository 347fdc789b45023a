import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import type { Config, Secrets } from '../config/index.ts';
import type { RoomStack } from './stack.ts';

export interface RoomsOptions {
  config: Config;
  secrets: Secrets;
  log: Logger;
  /** Reports each step to users waiting for the start. */
  progress(step: string): void;
  /** How long a job of callers' code waits for a process, in milliseconds. Default: 5,000. */
  sandboxWaitMs?: number;
}

/** What each part of the composition is opened with. */
export interface Opening extends RoomsOptions {
  clock: Clock;
  stack: RoomStack;
}
