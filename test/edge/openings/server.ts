/** The server that openings are tried on, in a process of its own: whatever ends it, ends nobody else. */
import { pino } from 'pino';
import { systemClock } from '../../../src/base/clock.ts';
import { createLimits } from '../../../src/limits/index.ts';
import { keyLevels } from '../../limits/callers.ts';
import { startGateServer } from '../../support/gate-server.ts';

const [certFile, keyFile] = process.argv.slice(2);
const many = 1_000_000;
const limits = createLimits({
  ...{ clock: systemClock, log: pino({ level: 'silent' }), levels: keyLevels({}) },
  // Counted, and never too many.
  anonymous: {
    ...{
      connections: many,
      connectionsPerMinute: many,
      totalConnections: many,
      streams: many,
      streamsPerConnection: many,
    },
    ...{ requestsPerMinute: many, refusedPerMinute: many, mebibytesPerMinute: 10_000 },
  },
});
const server = await startGateServer({
  logged: false,
  tls: certFile && keyFile ? { certFile, keyFile } : null,
  anonymous: limits.anonymous,
  limits: {
    ...{ headersTimeoutMs: 500, requestTimeoutMs: 1_000, idleTimeoutMs: 500, closeGraceMs: 250, lingerMs: 500 },
    ...{ anonymousMs: 2_000, stalledMs: 3_000 },
  },
  operations: { watchLifeMs: 500, reflection: { requests: 16, bytes: 1_000_000, lifeMs: 500 } },
});
process.on('message', () => process.send?.({ connections: server.connections(), memory: process.memoryUsage.rss() }));
process.on('disconnect', () => process.exit(0));
process.send?.({ url: server.url });
