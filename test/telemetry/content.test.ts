import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { array, assert, constantFrom, integer, property, record, string } from 'fast-check';
import { expect, test } from 'vitest';
import { inputContent, outputContent, toolContent } from '../../src/telemetry/content.ts';

const words = string({ unit: 'grapheme', maxLength: 200 });
const prompts = array(
  constantFrom('system' as const, 'user' as const, 'assistant' as const).chain((role) =>
    record({ role: constantFrom(role), texts: array(words, { minLength: 1, maxLength: 3 }) }),
  ),
  { minLength: 1, maxLength: 8 },
);

test('a prompt is JSON of no more bytes than allowed, and whole when it fits', () => {
  assert(
    property(prompts, integer({ min: 256, max: 4_000 }), (messages, bytesMax) => {
      const prompt = messages.map(({ role, texts }) =>
        role === 'system'
          ? { role, content: texts.join('') }
          : { role, content: texts.map((text) => ({ type: 'text' as const, text })) },
      ) as LanguageModelV4Prompt;
      const { json, truncated } = inputContent(prompt, bytesMax);
      expect(Buffer.byteLength(json)).toBeLessThanOrEqual(bytesMax);
      const kept = JSON.parse(json) as { role: string; parts: { content: string }[] }[];
      const newest = messages.slice(messages.length - kept.length);
      expect(kept.map(({ role }) => role)).toEqual(newest.map(({ role }) => role));
      const whole = JSON.stringify(
        messages.map(({ role, texts }) => ({
          role,
          parts: (role === 'system' ? [texts.join('')] : texts).map((content) => ({ type: 'text', content })),
        })),
      );
      expect(truncated).toBe(json !== whole);
      expect(truncated).toBe(Buffer.byteLength(whole) > bytesMax);
      // All but the oldest that is kept are as they were.
      expect(json.endsWith(JSON.stringify(kept.slice(1)).slice(1))).toBe(true);
    }),
  );
});

test('files are told by type or address, never as bytes', () => {
  const url = new URL('https://example.com/cat.png');
  const { json } = inputContent(
    [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: { type: 'data', data: new Uint8Array([1, 2, 3]) } },
          { type: 'file', mediaType: 'image/*', data: { type: 'url', url } },
        ],
      },
    ],
    1_000,
  );
  expect(JSON.parse(json)[0].parts).toEqual([
    { type: 'file', modality: 'image', mime_type: 'image/png' },
    { type: 'uri', modality: 'image', mime_type: 'image/*', uri: url.href },
  ]);
});

test('tools and their results are in the prompt and the reply', () => {
  const input = inputContent(
    [
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'sum', input: { a: 1 } }] },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'sum', output: { type: 'text', value: '3' } }],
      },
    ],
    1_000,
  );
  expect(JSON.parse(input.json)).toEqual([
    { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'sum', arguments: '{"a":1}' }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: '{"type":"text","value":"3"}' }] },
  ]);
  const reply = outputContent([{ type: 'text', content: 'x'.repeat(5_000) }], 'length', 300);
  expect(Buffer.byteLength(reply.json)).toBe(300);
  expect(JSON.parse(reply.json)).toMatchObject([{ finish_reason: 'length', parts: [{ type: 'text' }] }]);
});

test('tools that do not fit are left out', () => {
  const tool = (name: string) => ({ type: 'function' as const, name, inputSchema: {} });
  const all = [tool('one'), tool('two'), tool('three')];
  const { json, truncated } = toolContent(all, 50);
  expect(truncated).toBe(true);
  expect(JSON.parse(json)).toEqual([{ type: 'function', name: 'one', parameters: {} }]);
  expect(toolContent(all, 1_000)).toMatchObject({ truncated: false });
});
