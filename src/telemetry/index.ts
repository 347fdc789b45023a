export { exportTimeoutMs, reportFailures } from './collector.ts';
export { conversationId, conversationOf } from './conversation.ts';
export { createModelInstruments, type ModelInstruments } from './instruments.ts';
export { type PrometheusSource, prometheusProducer } from './prometheus.ts';
export { upstreamServers } from './upstreams.ts';
export { createWatchCall } from './watch.ts';
export type { CallEnd, CallWatch, WatchCall } from './watch-call.ts';
export { watchOutcome } from './watch-outcome.ts';
