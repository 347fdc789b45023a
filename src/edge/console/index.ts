import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type PasskeyRoutesOptions, registerPasskeyRoutes } from './passkey-routes.ts';
import { registerSessionRoutes, type SessionRoutesOptions } from './session-routes.ts';
import { registerConsoleFiles } from './static.ts';

export { sessionSecretOf } from './cookies.ts';
export { createSessionCallers, type SessionCallers } from './session-caller.ts';

export type ConsoleOptions = SessionRoutesOptions &
  PasskeyRoutesOptions & {
    /** Where the build is; default: the one in this repository. */
    folder?: string;
  };

/** `/console/`: the pages for owners and operators, and their sessions. */
export function registerConsole(app: FastifyInstance, options: ConsoleOptions): void {
  registerSessionRoutes(app, options);
  registerPasskeyRoutes(app, options);
  registerConsoleFiles(app, options.folder ?? fileURLToPath(new URL('../../../console/dist/', import.meta.url)));
}
