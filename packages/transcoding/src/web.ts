import type { TranscodingOptions } from './options.ts';
import { Transcoder } from './transcoder.ts';
import { WebCall, type WebContext } from './web-call.ts';

/** Serves protobuf methods as JSON over HTTP for anything that uses `Request` and `Response`. */
export interface Transcoding {
  /**
   * Answers every request; never rejects. A stream's response begins with its first message. The call's signal aborts when the
   * caller leaves, which shows by `request.signal` or by the response body being cancelled.
   */
  handle(this: void, request: Request): Promise<Response>;
}

/**
 * Creates a handler for web-standard requests from protobuf methods and their `google.api.http` rules (google/api/http.proto,
 * AIP-127). Throws a `RuleError` if a rule cannot be served.
 */
export function createTranscoding<Admitted = void>(options: TranscodingOptions<Admitted, WebContext>): Transcoding {
  const transcoder = new Transcoder(options);
  return {
    handle: (request) => new Promise((resolve) => transcoder.handle(new WebCall<Admitted>(request, resolve))),
  };
}
