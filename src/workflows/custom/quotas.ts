import type { DefinitionCounts, DefinitionSummary } from './definitions-store.ts';

/** The limits of one account. */
export interface DefinitionQuotas {
  workflows: number;
  versionsPerWorkflow: number;
  /** Of all versions together, including retired ones. */
  bytes: number;
}

export const quotasDefault: DefinitionQuotas = {
  workflows: 1_000,
  versionsPerWorkflow: 200,
  bytes: 64 * 1_024 * 1_024,
};

/** Why a version about to be added exceeds the account's quota. */
export function fullOf(
  quotas: DefinitionQuotas,
  has: DefinitionCounts,
  added: { isNew: boolean; bytes: number },
): string | undefined {
  const room = 'Retire and delete what is no longer used, then try again.';
  if (added.isNew && has.workflows >= quotas.workflows)
    return `The account has ${quotas.workflows} workflows, the maximum. ${room}`;
  if (has.versions >= quotas.versionsPerWorkflow)
    return `The workflow has ${quotas.versionsPerWorkflow} versions, the maximum. ${room}`;
  if (has.bytes + added.bytes > quotas.bytes)
    return `The account's definitions take ${has.bytes} of ${quotas.bytes} bytes, and this one has ${added.bytes}. ${room}`;
  return undefined;
}

/** Why versions cannot be deleted; `newest` can only be deleted with the whole workflow. */
export function whyKept(versions: readonly DefinitionSummary[], newest: number | undefined): string | undefined {
  const active = versions.find(({ retiredMs }) => retiredMs === undefined);
  if (active) return `Version ${active.version} is active. Retire it, then delete it.`;
  if (versions.some(({ version }) => version === newest))
    return `Version ${newest} is the newest, and is deleted with the workflow. Name no version to delete all of them.`;
  return undefined;
}
