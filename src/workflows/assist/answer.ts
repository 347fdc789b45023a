import type { JsonObject } from '@bufbuild/protobuf';
import { z } from 'zod';
import { riskCategories } from '../packs/risk-categories.ts';
import { type Judged, missed } from './ask.ts';

const worded = z.strictObject({ id: z.string().max(100), text: z.string().max(1500) });
const found = z.strictObject({
  quote: z.string().min(1).max(300),
  category: z.enum(riskCategories),
  severity: z.enum(['info', 'low', 'medium', 'high', 'critical']),
  reason: z.string().max(500),
  suggestion: z.string().max(500),
});
const read = z.strictObject({
  fact: z.string().min(1).max(64),
  value: z.string().min(1).max(200),
  quote: z.string().min(1).max(300),
});

const texts = z.array(worded).max(60);
const findings = z.array(found).max(20);

/** What a model is asked for, per family. The schema is closed: an answer with anything else is rejected and sent back. */
export const textsAnswer = z.strictObject({ texts });
export const findingsAnswer = z.strictObject({ texts, findings });
export const listingAnswer = z.strictObject({ texts, findings, facts: z.array(read).max(20) });
export const decisionAnswer = z.strictObject({ texts, risks: z.array(z.string().max(400)).max(5) });
export const documentAnswer = z.strictObject({ title: z.string().max(300), body: z.string().max(20_000) });

export type WordedText = z.infer<typeof worded>;
export type FindingAdvice = z.infer<typeof found>;
export type FactAdvice = z.infer<typeof read>;

// Some models wrap their JSON in a code block or in sentences, although they were asked for JSON alone.
const fence = /```(?:json)?\s*([\s\S]*?)\s*```/;

/** The JSON object in a model's answer, wherever it appears. */
export function objectIn(answer: string): Judged<JsonObject> {
  const first = answer.indexOf('{');
  const candidates = [answer, fence.exec(answer)?.[1] ?? '', answer.slice(first, answer.lastIndexOf('}') + 1)];
  for (const candidate of candidates) {
    const value = parsed(candidate);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { ok: true, output: value as JsonObject };
  }
  return missed('json', 'the answer is no JSON object');
}

/** The answer parsed by the schema, or what is wrong with it and where. */
export function answerIn<Answer>(schema: z.ZodType<Answer>, answer: string): Judged<Answer> {
  const object = objectIn(answer);
  if (!object.ok) return object;
  const read = schema.safeParse(object.output);
  if (read.success) return { ok: true, output: read.data };
  const issues = read.error.issues.slice(0, 10);
  const words = issues.map(({ path, message }) => `${placeOf(path)}: ${message}`).join('; ');
  return missed('schema', words, [...new Set(issues.map(({ path }) => placeOf(path)))].join(', '));
}

/** `findings[0].severity`. */
function placeOf(path: readonly PropertyKey[]): string {
  return (
    path.reduce<string>(
      (place, part) =>
        typeof part === 'number' ? `${place}[${part}]` : `${place}${place === '' ? '' : '.'}${String(part)}`,
      '',
    ) || 'answer'
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
