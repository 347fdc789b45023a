/** One segment of a path template: literal text, `*` (one segment) or `**` (all that follow). */
export type Segment = string | typeof one | typeof rest;

export const one = Symbol('*');
export const rest = Symbol('**');

/** A variable: the request field's path, and the segments it captures, excluding `end`. */
export interface Variable {
  fieldPath: string[];
  start: number;
  end: number;
  /** More than one segment, so `%2F` must remain distinct from `/`. */
  multiple: boolean;
}

export interface Template {
  segments: Segment[];
  variables: Variable[];
  verb: string;
}

/**
 * Parses a path template of google/api/http.proto:
 *
 *     Template = "/" Segments [ ":" Verb ]      Segment = "*" | "**" | LITERAL | Variable
 *     Segments = Segment { "/" Segment }        Variable = "{" FieldPath [ "=" Segments ] "}"
 *
 * Variables do not nest and `**` comes last. Throws an `Error` that says what is wrong and where.
 */
export function parseTemplate(text: string): Template {
  const parser = new Parser(text);
  parser.expect('/');
  parser.segments(undefined);
  if (parser.take(':')) parser.verb();
  if (!parser.done()) throw parser.fault('unexpected character');
  return parser.template;
}

// RFC 3986 path characters, without ":" and "=", which have a meaning here, and without escapes.
const literalCharacter = /[A-Za-z0-9\-._~!$&'()+,;@]/;

class Parser {
  readonly template: Template = { segments: [], variables: [], verb: '' };
  private readonly text: string;
  private at = 0;

  constructor(text: string) {
    this.text = text;
  }

  done(): boolean {
    return this.at === this.text.length;
  }

  take(token: string): boolean {
    if (!this.text.startsWith(token, this.at)) return false;
    this.at += token.length;
    return true;
  }

  expect(token: string): void {
    if (!this.take(token)) throw this.fault(`expected "${token}"`);
  }

  fault(problem: string): Error {
    return new Error(`template "${this.text}": ${problem} at character ${this.at + 1}`);
  }

  /** Reads segments; within a variable (`inside`) only plain ones. */
  segments(inside: string | undefined): void {
    do {
      if (this.template.segments.at(-1) === rest) throw this.fault('"**" must be the last segment');
      if (this.take('**')) this.template.segments.push(rest);
      else if (this.take('*')) this.template.segments.push(one);
      else if (this.take('{')) {
        if (inside !== undefined) throw this.fault('a variable within a variable');
        this.variable();
      } else this.template.segments.push(this.literal('a segment'));
    } while (this.take('/'));
  }

  verb(): void {
    this.template.verb = this.literal('a verb');
  }

  private variable(): void {
    const name = this.while(/[A-Za-z0-9_.]/);
    if (!/^[A-Za-z_]\w*(\.[A-Za-z_]\w*)*$/.test(name)) throw this.fault(`"${name}" is not a field path`);
    if (this.template.variables.some((variable) => variable.fieldPath.join('.') === name))
      throw this.fault(`the variable "${name}" stands twice`);
    const start = this.template.segments.length;
    if (this.take('=')) this.segments(name);
    else this.template.segments.push(one);
    this.expect('}');
    const captured = this.template.segments.slice(start);
    const multiple = captured.length > 1 || captured[0] === rest;
    this.template.variables.push({
      fieldPath: name.split('.'),
      start,
      end: this.template.segments.length,
      multiple,
    });
  }

  private literal(wanted: string): string {
    const text = this.while(literalCharacter);
    if (text === '') throw this.fault(`expected ${wanted}`);
    return text;
  }

  private while(allowed: RegExp): string {
    const start = this.at;
    while (this.at < this.text.length && allowed.test(this.text.charAt(this.at))) this.at++;
    return this.text.slice(start, this.at);
  }
}
