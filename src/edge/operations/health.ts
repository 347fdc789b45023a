import type { DescService } from '@bufbuild/protobuf';
import { Code, ConnectError, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import { type Health, HealthCheckResponse_ServingStatus as Status } from '../../gen/grpc/health/v1/health_pb.ts';
import type { Readiness } from './readiness.ts';

/** `grpc.health.v1.Health`: the whole service is asked for by the empty name, or each service by its own. */
export function healthService(readiness: Readiness, services: readonly DescService[]): ServiceImpl<typeof Health> {
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
      while (!context.signal.aborted) {
        const current = statusOf(service);
        if (current !== sent) yield { status: current };
        sent = current;
        await changed(readiness, context);
      }
    },
  };
}

/** Resolves when the readiness changes or the caller goes away. */
function changed(readiness: Readiness, { signal }: HandlerContext): Promise<void> {
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
