import { doJob } from './do-job.ts';

/** A process' first jobs are slow, since nothing is compiled yet; that must not count against a caller's time. */
export function warmUp(): void {
  const schema = { type: 'object', properties: { a: { type: 'string', pattern: '^a' } }, required: ['a'] };
  for (let round = 0; round < 3; round++) {
    doJob({
      kind: 'custom',
      rules: {
        id: undefined,
        inputSchema: { ...schema, title: `${round}` },
        outputSchema: { type: 'object', additionalProperties: { type: 'number' }, title: `${round}` },
        checks: [{ id: 'warm', pass: 'input.a.matches("a+") && given(input, "a")', weight: 1 }],
        fields: [{ name: 'b', expression: 'input.a.size() + 1' }],
      },
      input: { a: 'a' },
    });
    doJob({ kind: 'schema', schema: JSON.stringify({ ...schema, description: `${round}` }), text: '{"a":"a"}' });
    doJob({ kind: 'tokens', pieces: [`${'Some prose, to be counted. '.repeat(20)}这是一个测试`] });
  }
}
