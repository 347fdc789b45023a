export { type Config, ConfigError, loadConfig, parseSettings } from './config.ts';
export { type Environment, readEnvironment } from './env.ts';
export { addPepper, readPeppers, removePepper, usePepper } from './peppers.ts';
export { type KeyRing, loadOrCreateSecrets, loadSecrets, type Secrets, SecretsError } from './secrets.ts';
export type { StripeConfig } from './stripe.ts';
