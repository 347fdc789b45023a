import type { TranscodingOptions } from './options.ts';
import { Transcoder } from './transcoder.ts';
import { WebCall, type WebContext } from './web-call.ts';

/** Serves protobuf methods as JSON over HTTP, for whatever speaks `Request` and `Response`. */
export interface Transcoding {
  /**
   * Answers every request; rejects never. The response of a stream begins with its first message. When the caller goes
   * away, the call's signal aborts: by `request.signal`, or when the body of the response is cancelled.
   */
  handle(this: void, request: Request): Promise<Response>;
}

/**
 * Makes a handler for web-standard requests out of protobuf methods and their `google.api.http` rules
 * (google/api/http.proto, AIP-127). Throws a `RuleError` when a rule cannot be served.
 */
export function createTranscoding<Admitted = void>(options: TranscodingOptions<Admitted, WebContext>): Transcoding {
  const transcoder = new Transcoder(options);
  return {
    handle: (request) => new Promise((resolve) => transcoder.handle(new WebCall<Admitted>(request, resolve))),
  };
}
