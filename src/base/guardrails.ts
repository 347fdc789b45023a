/** What happens with a text in which something is found: the request is refused, the words are hidden, or it is only told. */
export type GuardrailAction = 'refuse' | 'mask' | 'flag';

/** How grave something that was found is. */
export type GuardrailSeverity = 'low' | 'medium' | 'high' | 'critical';

/** What is looked for in one direction of a chat, and what happens then. */
export interface Guardrail {
  action: GuardrailAction;
  /** Risk packs by name, beside the signs of the text's language, which are always looked for. */
  packs: readonly string[];
  /** Risk packs of the account's own by id; what they find counts in any category. Absent: none. */
  ownPacks?: readonly string[];
  /** Only these categories; none: all. */
  categories: readonly string[];
  /** What is less grave does not count. */
  leastSeverity: GuardrailSeverity;
}

/** The guardrails of an API key and its access tokens: of what goes to a model, and of what comes from it. */
export interface Guardrails {
  input?: Guardrail;
  output?: Guardrail;
}
