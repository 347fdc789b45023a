import type {
  DescMethod,
  DescMethodBiDiStreaming,
  DescMethodClientStreaming,
  DescMethodServerStreaming,
  DescMethodUnary,
  Message,
  Registry,
} from '@bufbuild/protobuf';
import type { CallContext } from './context.ts';
import type { HttpRules } from './service-config.ts';

/**
 * What is served, and by which handlers. `Admitted` is the result of `admit`, which the rest of the call receives; `Context` is
 * what the transport knows about a request.
 */
export interface TranscodingOptions<Admitted, Context extends CallContext> {
  /**
   * Those with an HTTP rule are served, by their `google.api.http` option or by `rules`. A rule that cannot be served, or whose
   * kind of method has no handler below, makes the start fail, naming the method.
   */
  methods: readonly DescMethod[];
  /** Rules of a service configuration, which replace the options of the methods they select. */
  rules?: HttpRules | undefined;
  /** For the contents of a `google.protobuf.Any`. Default: the types in the methods' files and their imports. */
  registry?: Registry | undefined;
  /** Called once the method is known and before the body is read; throws to refuse the call. Default: all calls are admitted. */
  admit?: ((method: DescMethod, context: Context) => Admitted | Promise<Admitted>) | undefined;
  unary?:
    | ((method: DescMethodUnary, request: Message, context: Context, admitted: Admitted) => Promise<Message>)
    | undefined;
  serverStreaming?:
    | ((
        method: DescMethodServerStreaming,
        request: Message,
        context: Context,
        admitted: Admitted,
      ) => AsyncIterable<Message>)
    | undefined;
  /**
   * Uploads: methods whose body is a `google.api.HttpBody`. The first message has the fields from path and query, the content
   * type, and the first bytes; later ones only have bytes. The body is read as the messages are consumed.
   */
  clientStreaming?:
    | ((
        method: DescMethodClientStreaming,
        requests: AsyncIterable<Message>,
        context: Context,
        admitted: Admitted,
      ) => Promise<Message>)
    | undefined;
  /** As `clientStreaming`, with a stream of replies. */
  bidiStreaming?:
    | ((
        method: DescMethodBiDiStreaming,
        requests: AsyncIterable<Message>,
        context: Context,
        admitted: Admitted,
      ) => AsyncIterable<Message>)
    | undefined;
  /**
   * Turns anything thrown, a `RestError` or a handler's error, into what the caller may see; `admitted` is undefined if the call
   * was not admitted. Must not throw. Default: `renderStatus`.
   */
  renderError?: ((error: unknown, context: Context, admitted: Admitted | undefined) => RenderedError) | undefined;
  /** Whether a stream message has no content: an event stream sends a comment instead. Default: none. */
  isSilence?: ((message: Message) => boolean) | undefined;
  /**
   * The id of a message's event in an event stream, which clients send back as `Last-Event-ID`: a text without line breaks and
   * NUL. Default: none.
   */
  eventId?: ((message: Message) => string | undefined) | undefined;
  /** Called with the number of a body's next bytes before they are kept; throws to refuse them. Not called for uploads. */
  received?: ((bytes: number, admitted: Admitted) => void) | undefined;
  limits?: RestLimits | undefined;
  /** Ends the calls still running when it aborts; its reason, an error, is rendered by `renderError` for each. */
  shutdownSignal?: AbortSignal | undefined;
  /** Prefix of every path: `/something`, or empty. */
  pathPrefix?: string | undefined;
}

/** A JSON body; within a stream it is the last event. */
export interface RenderedError {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** Limits on requests and replies. */
export interface RestLimits {
  /** For a body, after decompression. Default 4 MiB. */
  bodyBytes?: number | ((method: DescMethod) => number);
  /** For the data in one message of an upload. Default 64 KiB. */
  uploadChunkBytes?: number;
  /** For nested objects and arrays. Default 100. */
  depthMax?: number;
  /** A longer `Grpc-Timeout` is shortened to this. Default 10 minutes. */
  timeoutMsMax?: number;
  /** An event stream that is silent for this long gets a comment. Default 15 s. */
  heartbeatMs?: number;
  /** A stream of which the caller reads nothing for this long is broken off, whatever its connection says. Default 10 minutes. */
  unreadMs?: number;
  /** Shorter replies are not compressed. Default 1024. */
  gzipBytesMin?: number;
}

export const defaultBodyBytes = 4 * 1024 * 1024;

export const defaultLimits = {
  uploadChunkBytes: 64 * 1024,
  depthMax: 100,
  timeoutMsMax: 600_000,
  heartbeatMs: 15_000,
  unreadMs: 600_000,
  gzipBytesMin: 1024,
};
