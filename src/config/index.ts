export { type Config, ConfigError, loadConfig, parseSettings } from './config.ts';
export { type Environment, readEnvironment } from './env.ts';
