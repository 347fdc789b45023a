// Prints the failed tests, each with the first line of its error, and then "123 passed, 0 failed", from vitest's JSON report. Skipped tests and
// suites that did not load count as failed: what did not run has proved nothing.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

// People read the last lines first: more failures than this have one common cause.
const namedAtMost = 20;

let report;
try {
  report = JSON.parse(readFileSync(process.argv[2], 'utf8'));
} catch {
  console.log('0 passed, 1 failed');
  console.error('There is no report: the tests did not run to their end.');
  process.exit(1);
}

const firstLine = (text) => (text ?? '').trim().split('\n', 1)[0].slice(0, 200);
const failures = report.testResults.flatMap((file) => {
  const path = relative(process.cwd(), file.name);
  if (file.status === 'failed' && file.assertionResults.length === 0) {
    return [`could not be loaded: ${path}: ${firstLine(file.message)}`];
  }
  return file.assertionResults
    .filter(({ status }) => status !== 'passed')
    .map((test) => `${test.status}: ${path}: ${test.fullName}: ${firstLine(test.failureMessages?.[0])}`);
});
for (const failure of failures.slice(0, namedAtMost)) console.log(failure);
if (failures.length > namedAtMost) console.log(`and ${failures.length - namedAtMost} more`);

console.log(`${report.numPassedTests} passed, ${failures.length} failed`);
process.exit(failures.length > 0 || report.numPassedTests === 0 ? 1 : 0);
