import { type ServedService, serve } from '../../src/api/handlers.ts';
import { JsonService } from '../gen/intelligence/test/v1/json_pb.ts';

/** A service that echoes what it is sent, once or twice. */
export function jsonService(): ServedService {
  return serve(JsonService, {
    echo: async (kinds) => kinds,
    echoTwice: async function* (kinds) {
      yield kinds;
      yield kinds;
    },
  });
}
