// Prints "123 passed, 0 failed" from vitest's JSON report. Skipped tests and suites that did not load count as failed:
// what did not run has proved nothing.
import { readFileSync } from 'node:fs';

let report;
try {
  report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
} catch {
  console.log('0 passed, 1 failed');
  console.error('There is no report: the tests did not run to their end.');
  process.exit(1);
}
const unloaded = report.testResults.filter(
  (file) => file.status === 'failed' && file.assertionResults.length === 0,
).length;
const skipped = report.numPendingTests + (report.numTodoTests ?? 0);
const failed = report.numFailedTests + skipped + unloaded;
if (skipped > 0) console.error(`${skipped} skipped tests count as failed.`);
if (unloaded > 0) console.error(`${unloaded} test files could not be loaded.`);
console.log(`${report.numPassedTests} passed, ${failed} failed`);
process.exit(failed > 0 || report.numPassedTests === 0 ? 1 : 0);
