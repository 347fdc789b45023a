import type {
  DescMessage,
  DescMethod,
  DescMethodServerStreaming,
  DescMethodUnary,
  DescService,
  MessageInitShape,
  MessageShape,
} from '@bufbuild/protobuf';
import type { Call } from './call.ts';

/** The handler of one method. It may throw `FailureError`, which the gate turns into the caller's error. */
export type Handler<Method extends DescMethod> =
  Method extends DescMethodUnary<infer Input, infer Output>
    ? (request: MessageShape<Input>, call: Call) => Promise<MessageInitShape<Output>>
    : Method extends DescMethodServerStreaming<infer Input, infer Output>
      ? (request: MessageShape<Input>, call: Call) => AsyncIterable<MessageInitShape<Output>>
      : never;

/** One handler per method of the service; a missing one is a type error. */
export type Handlers<Service extends DescService> = {
  [Name in keyof Service['method']]: Handler<Service['method'][Name]>;
};

/** A service with its handlers, ready to be served over every protocol. */
export interface ServedService {
  service: DescService;
  // Typed where it is created, by `serve`; the edge calls it with messages of the method's own types.
  handlers: Readonly<Record<string, UntypedHandler>>;
}

export type UntypedHandler = (request: never, call: Call) => Promise<UntypedReply> | AsyncIterable<UntypedReply>;

export type UntypedReply = MessageInitShape<DescMessage>;

export function serve<Service extends DescService>(service: Service, handlers: Handlers<Service>): ServedService {
  return { service, handlers: handlers as ServedService['handlers'] };
}
