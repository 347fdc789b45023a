import { defineConfig } from 'vitest/config';

const report = process.env.TEST_REPORT;

export default defineConfig({
  test: {
    // CI reads the counts from a report; people read the terminal.
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
