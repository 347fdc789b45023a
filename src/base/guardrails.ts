/** What happens to a text with findings: the request is refused, the findings are masked, or they are only reported. */
export type GuardrailAction = 'refuse' | 'mask' | 'flag';

/** How serious a finding is. */
export type GuardrailSeverity = 'low' | 'medium' | 'high' | 'critical';

/** What to look for in one direction of a chat, and what to do then. */
export interface Guardrail {
  action: GuardrailAction;
  /** Risk packs by name, besides the signs of the text's language, which are always checked. */
  packs: readonly string[];
  /** The account's own risk packs, by id; their findings count in any category. Absent: none. */
  ownPacks?: readonly string[];
  /** Only these categories; empty: all. */
  categories: readonly string[];
  /** Anything less serious does not count. */
  leastSeverity: GuardrailSeverity;
}

/** The guardrails of an API key and its access tokens: for what goes to a model, and for what comes back. */
export interface Guardrails {
  input?: Guardrail;
  output?: Guardrail;
}
