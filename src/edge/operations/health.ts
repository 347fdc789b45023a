import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import { type Health, HealthCheckResponse_ServingStatus as Status } from '../../gen/grpc/health/v1/health_pb.ts';
import type { Readiness } from './readiness.ts';

/** Load balancers watch forever and ask again when a stream ends; but a stream that nobody reads must end eventually. */
export const watchLifeMs = 30 * 60_000;

/** `grpc.health.v1.Health`: the empty name asks for the whole service, or each service is asked for by its own. */
export function healthService(
  readiness: Readiness,
  services: readonly DescService[],
  lifeMs = watchLifeMs,
): ServiceImpl<typeof Health> {
  const names = new Set(['', ...services.map((service) => service.typeName)]);
  const status = () => (readiness.problem() === undefined ? Status.SERVING : Status.NOT_SERVING);
  const statusOf = (name: string) => (names.has(name) ? status() : Status.SERVICE_UNKNOWN);

  return {
    check: ({ service }) => {
      if (!names.has(service)) throw new ConnectError(`There is no service "${service}".`, Code.NotFound);
      return { status: status() };
    },
    list: () => ({ statuses: Object.fromEntries([...names].map((name) => [name, { status: status() }])) }),
    async *watch({ service }, context) {
      let sent: Status | undefined;
      const life = AbortSignal.timeout(lifeMs);
      const over = AbortSignal.any([context.signal, life]);
      while (!over.aborted) {
        const current = statusOf(service);
        if (current !== sent) yield { status: current };
        sent = current;
        await changed(readiness, over);
      }
      // Clients retry after every status but UNIMPLEMENTED (gRPC's health checking protocol).
      context.signal.throwIfAborted();
      throw new ConnectError('The watch has reached its time limit. Watch again.', Code.Unavailable);
    },
  };
}

/** Resolves when the readiness changes or the signal aborts. */
function changed(readiness: Readiness, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stop();
      signal.removeEventListener('abort', done);
      resolve();
    };
    const stop = readiness.onChange(done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}
