// The core: protobuf methods as JSON over HTTP, on web-standard requests and responses.
export type { CallContext, RequestHeaders } from './context.ts';
export { RestError, type RestProblem, RuleError, type Violation } from './errors.ts';
export type { RenderedError, RestLimits, TranscodingOptions } from './options.ts';
export { type HttpRules, httpRules } from './service-config.ts';
export { renderStatus } from './status.ts';
export { type MethodRule, methodRules } from './table.ts';
export { one, rest as manySegments, type Template } from './template.ts';
export { createTranscoding, type Transcoding } from './web.ts';
export type { WebContext } from './web-call.ts';
