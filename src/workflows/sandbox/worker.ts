import { parentPort } from 'node:worker_threads';
import { doJob } from './do-job.ts';
import type { Job, JobAnswer, WorkerMessage } from './job.ts';

// The first job of a process is slow, since nothing is compiled yet; it must not count against a caller's time.
doJob({
  kind: 'custom',
  definition: {
    id: undefined,
    inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^a' } }, required: ['a'] },
    outputSchema: { type: 'object', additionalProperties: { type: 'number' } },
    checks: [
      {
        id: 'warm',
        fact: '',
        pass: 'input.a.matches("a+") && given(input, "a")',
        weight: 1,
        severity: 'low',
        message: '',
        action: '',
      },
    ],
    fields: [{ name: 'b', expression: 'input.a.size() + 1' }],
  },
  input: { a: 'a' },
});

// One job at a time: whoever sends it ends this worker when the answer takes too long.
parentPort?.on('message', (job: Job) => report(doJob(job)));
report('ready');

function report(answer: JobAnswer | 'ready'): void {
  const { user, system } = process.threadCpuUsage();
  const message: WorkerMessage = { answer, cpuMicroseconds: user + system };
  parentPort?.postMessage(message);
}
