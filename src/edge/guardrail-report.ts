import type { GuardrailOutcome, GuardrailReport } from '../gen/intelligence/chat/v1/chat_pb.ts';

/** What the key's guardrails did, as a member added to the replies of other APIs, which have no such member. */
export function guardrailReport(report: GuardrailReport | undefined): { guardrail?: object } {
  if (!report) return {};
  const { input, output } = report;
  return {
    guardrail: { ...(input ? { input: outcomeOf(input) } : {}), ...(output ? { output: outcomeOf(output) } : {}) },
  };
}

function outcomeOf({ action, findings }: GuardrailOutcome): object {
  return { action, findings: findings.map(({ category, severity, count }) => ({ category, severity, count })) };
}
