import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig, readEnvironment } from '../../src/config/index.ts';
import { openLog } from '../../src/open-log.ts';

test('LOG_LEVEL says what is worth a line', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'log-level-'));
  try {
    const log = openLog(loadConfig(readEnvironment({ DATA_DIR: folder, LOG_LEVEL: 'warn' })), true);
    log.info('a call');
    log.warn('a slow call');
    await new Promise((resolve) => log.flush(resolve));
    const lines = readFileSync(join(folder, 'service.log'), 'utf8').trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['a slow call']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
