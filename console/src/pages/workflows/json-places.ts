/** Where values are in a JSON text. */
export interface JsonPlaces {
  /** The line, from 1, of each value by its path: `listing.price`, `criteria[0].weight`. The root is the empty path. */
  lines: ReadonlyMap<string, number>;
  /** Where the text stops being JSON; undefined: it is JSON. */
  problem?: { line: number; expected: string };
}

class Unexpected extends Error {
  readonly at: number;
  constructor(at: number, expected: string) {
    super(expected);
    this.at = at;
  }
}

/** Finds the places in a JSON text. The values themselves are left to `JSON.parse`. */
export function placesOf(text: string): JsonPlaces {
  const lines = new Map<string, number>();
  const blank = /\s*/y;
  const string = /"(?:[^"\\\n]|\\.)*"/y;
  const word = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
  let at = 0;

  const lineAt = (index: number): number => text.slice(0, index).split('\n').length;
  function take(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) at += found.length;
    return found;
  }
  function skip(): string {
    take(blank);
    return text[at] ?? '';
  }
  function expect(mark: string): void {
    if (skip() !== mark) throw new Unexpected(at, `\`${mark}\``);
    at += 1;
  }

  function value(path: string): void {
    const first = skip();
    lines.set(path, lineAt(at));
    if (first === '{') members('}', () => property(path));
    else if (first === '[') {
      let index = 0;
      members(']', () => value(`${path}[${index++}]`));
    } else if (take(string) === undefined && take(word) === undefined) throw new Unexpected(at, 'a value');
  }

  function members(close: string, member: () => void): void {
    at += 1;
    if (skip() === close) {
      at += 1;
      return;
    }
    for (;;) {
      member();
      if (skip() === close) break;
      if (text[at] !== ',') throw new Unexpected(at, `\`,\` or \`${close}\``);
      at += 1;
    }
    at += 1;
  }

  function property(path: string): void {
    skip();
    const name = take(string);
    if (name === undefined) throw new Unexpected(at, 'a name in quotes');
    expect(':');
    value(path === '' ? String(JSON.parse(name)) : `${path}.${JSON.parse(name)}`);
  }

  try {
    value('');
    if (skip() !== '') throw new Unexpected(at, 'the end');
    return { lines };
  } catch (thrown) {
    if (thrown instanceof Unexpected) return { lines, problem: { line: lineAt(thrown.at), expected: thrown.message } };
    throw thrown;
  }
}

/** The line of a field, or of its nearest ancestor if the field itself is missing. */
export function lineOf(lines: JsonPlaces['lines'], field: string): number {
  for (let path = field; path !== ''; path = path.replace(/(\.[^.[\]]*|\[[^\]]*\]|^[^.[\]]+)$/, '')) {
    const line = lines.get(path);
    if (line !== undefined) return line;
    if (!/[.[]/.test(path)) break;
  }
  return 1;
}
