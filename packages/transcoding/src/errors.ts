/** One fault in a request: where, as the caller writes it, and what to do about it. */
export interface Violation {
  field: string;
  description: string;
}

/** The problems that the transcoder itself can find in a request. */
export type RestProblem =
  | { kind: 'invalid_argument'; violations: Violation[] }
  | { kind: 'route_not_found' }
  | { kind: 'method_not_allowed'; allow: string[] }
  | { kind: 'payload_too_large'; limitBytes: number }
  | { kind: 'unsupported_media_type'; accepted: string[] }
  | { kind: 'deadline_exceeded' }
  | { kind: 'cancelled' };

/** A problem on its way to `renderError`, which alone decides what the caller sees. */
export class RestError extends Error {
  readonly problem: RestProblem;

  constructor(problem: RestProblem) {
    super(problem.kind === 'invalid_argument' ? describe(problem.violations) : problem.kind);
    this.name = 'RestError';
    this.problem = problem;
  }
}

export function invalidArgument(field: string, description: string): RestError {
  return new RestError({ kind: 'invalid_argument', violations: [{ field, description }] });
}

/** A method's HTTP rule cannot be served. Thrown at start-up only. */
export class RuleError extends Error {
  constructor(method: string, problem: string) {
    super(`${method}: ${problem}`);
    this.name = 'RuleError';
  }
}

/** A value that does not fit its field. On its way up, each reader prepends the name of the field it was reading to `path`. */
export class InvalidValue extends Error {
  readonly path: string[] = [];
  /** The position in the body's text, if the value came from one; set by the innermost reader that knows it. */
  offset: number | undefined;

  constructor(description: string, offset?: number) {
    super(description);
    this.name = 'InvalidValue';
    this.offset = offset;
  }

  /** Prepends the field being read; returns itself, to be rethrown. */
  within(name: string): this {
    this.path.unshift(name);
    return this;
  }

  /** The field's path as the caller writes it: `messages[0].content`. */
  field(): string {
    let text = '';
    for (const name of this.path) text += text === '' || name.startsWith('[') ? name : `.${name}`;
    return text.length > fieldCharactersMax ? `${text.slice(0, fieldCharactersMax)}...` : text;
  }
}

// A caller's own names are repeated to it, but not megabytes of them.
const fieldCharactersMax = 200;

function describe(violations: readonly Violation[]): string {
  return violations.map(({ field, description }) => `${field}: ${description}`).join('; ');
}
