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
 * What is served, and by what. `Admitted` is what `admit` makes of a call and the rest of the call is handed; `Context`
 * is what the transport knows of a request.
 */
export interface TranscodingOptions<Admitted, Context extends CallContext> {
  /**
   * Those with an HTTP rule are served, by their `google.api.http` option or by `rules`. A rule that cannot be, or whose
   * kind of method has no handler below, makes the start fail, naming the method.
   */
  methods: readonly DescMethod[];
  /** Rules of a service configuration: they replace the options of the methods that they select. */
  rules?: HttpRules | undefined;
  /** For what stands in a `google.protobuf.Any`. Default: the types of the methods' files and of what these import. */
  registry?: Registry | undefined;
  /** Called once the method is known and before the body is read; throws to refuse the call. Default: all are let in. */
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
   * Uploads: methods whose body is a `google.api.HttpBody`. The first message has what path and query say, the content
   * type, and the first bytes; those that follow have bytes alone. The body is read as the messages are.
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
   * Turns anything thrown, a `RestError` or whatever a handler threw, into what the caller may read; `admitted` is
   * undefined when the call was not let in. Must not throw. Default: `renderStatus`.
   */
  renderError?: ((error: unknown, context: Context, admitted: Admitted | undefined) => RenderedError) | undefined;
  /** Whether a message of a stream brings nothing: in an event stream a comment takes its place. Unless told: none. */
  isSilence?: ((message: Message) => boolean) | undefined;
  /**
   * The id of a message's event in an event stream, which clients send back as `Last-Event-ID`: a text without line breaks and NUL.
   * Unless told: none.
   */
  eventId?: ((message: Message) => string | undefined) | undefined;
  /** Told of how many bytes of a body come next, before they are kept; throws to refuse them. Not of uploads. */
  received?: ((bytes: number, admitted: Admitted) => void) | undefined;
  limits?: RestLimits | undefined;
  /** Ends the calls that still run when it aborts; its reason, an error, is what `renderError` renders for each. */
  shutdownSignal?: AbortSignal | undefined;
  /** Stands in front of every path: `/something`, or nothing. */
  pathPrefix?: string | undefined;
}

/** A JSON body; inside of streams it is the last event. */
export interface RenderedError {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** Bounds of requests and replies. */
export interface RestLimits {
  /** Of a body, after decompression. Default 4 MiB. */
  bodyBytes?: number | ((method: DescMethod) => number);
  /** Of the data in one message of an upload. Default 64 KiB. */
  uploadChunkBytes?: number;
  /** Of objects and arrays within each other. Default 100. */
  depthMax?: number;
  /** A longer `Grpc-Timeout` is taken as this. Default 10 minutes. */
  timeoutMsMax?: number;
  /** An event stream that is silent for so long gets a comment. Default 15 s. */
  heartbeatMs?: number;
  /** Shorter replies are not compressed. Default 1024. */
  gzipBytesMin?: number;
}

export const defaultBodyBytes = 4 * 1024 * 1024;

export const defaultLimits = {
  uploadChunkBytes: 64 * 1024,
  depthMax: 100,
  timeoutMsMax: 600_000,
  heartbeatMs: 15_000,
  gzipBytesMin: 1024,
};
