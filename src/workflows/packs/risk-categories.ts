/** The closed list of risk categories. docs/workflows.md explains each. */
export const riskCategories = [
  'off_platform_payment',
  'advance_fee',
  'phishing',
  'impersonation',
  'too_good_to_be_true',
  'weapons',
  'drugs',
  'counterfeit',
  'stolen_goods',
  'wildlife',
  'prohibited_goods',
  'threat',
  'hate',
  'harassment',
  'self_harm',
  'sexual_content',
  'minors',
  'discrimination_housing',
  'discrimination_hiring',
  'personal_data',
  'secrets',
  'misleading_finance',
  'misleading_health',
  'misleading_legal',
  'misleading_marketing',
  'unfair_terms',
  'prompt_injection',
] as const;
export type RiskCategory = (typeof riskCategories)[number];

export function isRiskCategory(name: string): name is RiskCategory {
  return (riskCategories as readonly string[]).includes(name);
}
