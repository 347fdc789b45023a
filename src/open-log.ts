import { join } from 'node:path';
import { destination, type Logger, pino } from 'pino';
import type { Config } from './config/index.ts';

/** Quickstart leaves the terminal to its user and logs to a file. */
export function openLog({ log, dataDir }: Pick<Config, 'log' | 'dataDir'>, quickstart: boolean): Logger {
  const target = quickstart ? join(dataDir, 'service.log') : 1;
  return pino(
    { level: log.level, base: null },
    destination({ dest: target, sync: false, minLength: 4096, periodicFlush: 1_000 }),
  );
}
