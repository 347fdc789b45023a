import { z } from 'zod';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { CheckRule } from '../checks/checks.ts';
import type { Plain } from '../family.ts';
import { compilePackChecks, type PackChecks } from './pack-checks.ts';
import { checkPack, readPack } from './read.ts';

export const profileNames = ['person', 'company', 'seller'] as const;

const kinds = [
  'text',
  'long_text',
  'email',
  'phone',
  'url',
  'number',
  'integer',
  'boolean',
  'date',
  'choice',
  'choices',
  'country',
  'list',
] as const;

const profilePack = checkPack.omit({ extends: true, categories: true }).extend({
  fields: z
    .array(
      z.strictObject({
        name: z.string(),
        label: z.string(),
        kind: z.enum(kinds),
        required: z.boolean().default(false),
        importance: z.number().min(0).max(100),
        min: z.number().optional(),
        max: z.number().optional(),
        minLength: z.number().int().min(0).optional(),
        maxLength: z.number().int().min(0).optional(),
        pattern: z.string().default(''),
        choices: z.array(z.string()).default([]),
        /** Other names that people use for the choices; the value is the choice. */
        choiceNames: z.record(z.string(), z.string()).default({}),
        help: z.string().default(''),
        example: z.string().default(''),
        step: z.string().default(''),
      }),
    )
    .min(1),
});

export interface ProfilePack {
  version: number;
  description: string;
  label: string;
  done: string;
  fields: Plain<FormField>[];
  /** By field. */
  choiceNames: Readonly<Record<string, Readonly<Record<string, string>>>>;
  rules: readonly CheckRule[];
  checks: PackChecks;
  examples: z.infer<typeof checkPack>['examples'];
}

/** The shipped forms by name. Throws if a pack file is wrong. */
export function readProfilePacks(): ReadonlyMap<string, ProfilePack> {
  return new Map(
    profileNames.map((name) => {
      const pack = readPack(`profile/${name}.yaml`, profilePack);
      const checks = compilePackChecks(pack.checks);
      return [
        name,
        {
          version: pack.version,
          description: pack.description,
          label: `profile/${name}@${pack.version}`,
          done: pack.done ?? 'Save the form.',
          fields: pack.fields.map(({ choiceNames: _, ...field }) => field),
          choiceNames: Object.fromEntries(pack.fields.map(({ name: field, choiceNames }) => [field, choiceNames])),
          rules: pack.checks,
          checks,
          examples: pack.examples,
        },
      ];
    }),
  );
}
