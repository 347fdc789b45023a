export { readBody } from './body.ts';
export { Call, type RestContext } from './context.ts';
export { RestError, type RestProblem, RuleError, type Violation } from './errors.ts';
export { eventOf, eventStreamType, type Framing } from './framing.ts';
export { routableUrl } from './percent.ts';
export { type RenderedError, type RestLimits, type RestOptions, rest } from './plugin.ts';
export { sendStream } from './stream.ts';
export { type MethodRule, methodRules } from './table.ts';
export { one, rest as manySegments, type Template } from './template.ts';
