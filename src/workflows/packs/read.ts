import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import type { CheckRule } from '../checks/checks.ts';
import { compilePackChecks, type PackChecks } from './pack-checks.ts';

const severity = z.enum(['info', 'low', 'medium', 'high', 'critical']);

const check = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/),
  fact: z.string().min(1),
  when: z.string().min(1).optional(),
  pass: z.string().min(1),
  weight: z.number().min(0).max(100),
  severity,
  message: z.string().min(1),
  action: z.string().min(1),
  missing: z.boolean().optional(),
});

/** A pack of checks: the part that a business person reads and changes. */
export const checkPack = z.strictObject({
  name: z.string(),
  version: z.number().int().min(1),
  description: z.string(),
  /** Another pack whose checks come first; a check with the same id replaces it. */
  extends: z.string().optional(),
  /** Words in a category that select the pack. */
  categories: z.array(z.string()).default([]),
  /** What to do if no check failed. */
  done: z.string().optional(),
  checks: z.array(check).min(1),
  examples: z
    .array(
      z.strictObject({
        name: z.string(),
        input: z.record(z.string(), z.unknown()),
        expect: z.record(z.string(), z.unknown()),
      }),
    )
    .default([]),
});

export interface CheckPack {
  name: string;
  version: number;
  description: string;
  /** Name and version, as stated in replies. */
  label: string;
  categories: string[];
  done: string;
  /** The pack's checks, and the function that runs them. */
  checks: CheckRule[];
  run: PackChecks;
  examples: z.infer<typeof checkPack>['examples'];
}

/** Reads a pack file from this folder. Throws an Error naming the file and each place that is wrong. */
export function readPack<Schema extends z.ZodType>(file: string, schema: Schema): z.infer<Schema> {
  const text = readFileSync(new URL(`./${file}`, import.meta.url), 'utf8');
  const read = schema.safeParse(parse(text));
  if (!read.success) throw new Error(`packs/${file}: ${z.prettifyError(read.error)}`);
  return read.data;
}

/** Reads and compiles a pack of checks; the checks of the pack that it extends come before its own. */
export function readCheckPack(folder: string, name: string): CheckPack {
  const pack = readPack(`${folder}/${name}.yaml`, checkPack);
  const base = pack.extends === undefined ? undefined : readPack(`${folder}/${pack.extends}.yaml`, checkPack);
  const own = new Set(pack.checks.map(({ id }) => id));
  const rules: CheckRule[] = [...(base?.checks ?? []).filter(({ id }) => !own.has(id)), ...pack.checks];
  try {
    return {
      name: pack.name,
      version: pack.version,
      description: pack.description,
      label: `${folder}/${pack.name}@${pack.version}`,
      categories: pack.categories,
      done: pack.done ?? base?.done ?? 'Nothing is left to do.',
      checks: rules,
      run: compilePackChecks(rules),
      examples: pack.examples,
    };
  } catch (error) {
    throw new Error(`packs/${folder}/${name}.yaml: ${error instanceof Error ? error.message : String(error)}`);
  }
}
