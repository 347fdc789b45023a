import type { Logger } from 'pino';
import type { Assistant } from '../assistant.ts';

export interface AssistDeps {
  /** Undefined: the service has no models to ask. */
  assistant?: Assistant | undefined;
  log: Logger;
}
