import type { Logger } from 'pino';
import type { DeviceDecisions } from '../../api/device-decisions.ts';
import type { Keys } from '../../keys/index.ts';
import type { Limits } from '../../limits/index.ts';
import type { Tokens } from '../../tokens/index.ts';

export interface OauthOptions {
  tokens: Pick<Tokens, 'deviceFlow' | 'jwks' | 'revokeForClient'>;
  deviceDecisions: DeviceDecisions;
  keys: Pick<Keys, 'verify'>;
  limits: Pick<Limits, 'anonymous'>;
  /** The service's public address, without a trailing slash. */
  issuer(): string;
  /** Whether the console is served; owners can approve devices there, too. */
  console: boolean;
  log: Logger;
}
