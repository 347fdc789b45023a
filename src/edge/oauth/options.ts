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
  /** The service's public address, without a slash at its end. */
  issuer(): string;
  /** Whether the console is served, in which owners can approve devices, too. */
  console: boolean;
  log: Logger;
}
