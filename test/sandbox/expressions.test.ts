// What expressions of callers may be, and what becomes of their values.
import { parse } from '@bufbuild/cel';
import { describe, expect, it } from 'vitest';
import { boundExpression } from '../../src/sandbox/child/expression-bounds.ts';
import { runCustom } from '../../src/sandbox/child/run-custom.ts';

const deep = `${'('.repeat(25)}1${')'.repeat(25)}`;
const walks = '[1].map(x, x).map(x, x).map(x, x)';

describe('the bounds of an expression', () => {
  it.each([
    String.raw`r"\" == "" && `,
    String.raw`r'\' == '' && `,
    String.raw`br"\" == b"" && `,
    String.raw`R"""\""" == "" && `,
    `r'''"''' == '' && `,
    `"""it's "so" """ == '' && `,
    `'''a\\''' ''' == '' && `,
    `1 inr"\\" || `,
    `// it's\n`,
    `true // "\n && `,
  ])('hold after %s', (before) => {
    expect(() => parse(`${before}1 == 1`)).not.toThrow();
    expect(boundExpression(`${before}${deep} == 1`)).toContain('nests brackets');
    expect(boundExpression(`${before}${walks} == [1]`)).toContain('walks through lists');
  });

  it('hold with a comment within, and for every macro that walks', () => {
    expect(boundExpression('a.// first\nmap(x, x).all(x, x).exists(x, x)')).toContain('walks');
    expect(boundExpression('a.existsOne(x, x) && a.existsOne(x, x) && a.existsOne(x, x)')).toContain('walks');
  });

  it.each([
    `"${deep}" == '${walks}'`,
    `r"\\" == "" || "${deep}" == ""`,
    `true // ${deep} ${walks}\n`,
    `"""${deep}
    ${walks}""" == ""`,
  ])('count nothing in a text or a comment: %s', (expression) => {
    expect(boundExpression(expression)).toBeUndefined();
  });
});

describe('the result of a workflow', () => {
  const resultOf = (expression: string) => {
    const fields = [{ name: 'it', expression }];
    const answer = runCustom({
      rules: { id: undefined, inputSchema: {}, outputSchema: {}, checks: [], fields },
      input: {},
    });
    return 'ok' in answer && answer.ok ? answer.output.it : answer;
  };

  it.each([
    ['timestamp("2026-11-28T10:00:00+01:00")', '2026-11-28T09:00:00Z'],
    ['duration("3500ms")', '3.500s'],
    ['b"abc"', 'YWJj'],
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', '9007199254740993'],
    ['-9223372036854775807', '-9223372036854775807'],
    ['18446744073709551615u', '18446744073709551615'],
    ['[duration("1s"), null, 7u, true]', ['1s', null, 7, true]],
    ['{"at": timestamp("2026-11-28T10:00:00Z"), "sum": 3}', { at: '2026-11-28T10:00:00Z', sum: 3 }],
    ['{1u: "a", 2: "b", true: "c"}', { 1: 'a', 2: 'b', true: 'c' }],
  ])('of %s is what protobuf writes', (expression, result) => {
    expect(resultOf(expression)).toEqual(result);
  });

  it.each([
    ['timestamp("tomorrow")', 'timestamp() takes a text such as "2026-12-04T09:00:00Z", and this is another one'],
    ['duration("soon")', 'duration() takes a text such as "90s" or "1.5h", and this is another one'],
    ['1.5 * 2', expect.stringContaining('so write 2.0 beside them, not 2')],
    ['"a" * 2', expect.not.stringContaining('doubles')],
  ])('that %s does not have says what to write', (expression, problem) => {
    expect(resultOf(expression)).toMatchObject({ ok: false, field: 'fields.it', problem });
  });

  it('is refused for a value that JSON does not have', () => {
    expect(resultOf('type(1)')).toMatchObject({
      ok: false,
      field: 'fields.it',
      problem: expect.stringContaining('JSON'),
    });
  });
});
