import type { Logger } from 'pino';
import type { Routing } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { Assistant } from '../assistant.ts';
import type { Plain } from '../family.ts';

export interface AssistDeps {
  /** Undefined: the service has no models to ask. */
  assistant?: Assistant | undefined;
  log: Logger;
}

/** What the requests of all families share. */
export interface Assistable {
  assist: string;
  routing?: Plain<Routing> | undefined;
  /** The reader's language, if the family takes one. */
  locale?: string | undefined;
}
