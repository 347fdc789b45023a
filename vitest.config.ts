import { defineConfig } from 'vitest/config';

const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    // CI reads the counts from a report; people read the terminal.
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    include: ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    // A machine may be busy with other work, and slow; what hangs is found all the same.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    // What is waited for ends the waiting as soon as it is there; vitest's own limit is one second.
    expect: { poll: { timeout: 60_000 } },
    pool: 'forks',
    maxWorkers: 2,
  },
});
