export type ProviderKind = 'builtin' | 'openai' | 'anthropic' | 'google' | 'openai-compatible';

/** One provider, as the configuration names it. */
export interface ProviderSettings {
  /** What models and callers call it by. */
  id: string;
  kind: ProviderKind;
  /** Where its API is; only `openai-compatible` needs it. */
  baseUrl?: string | undefined;
  /** The environment variable that holds its key, for the message when it is absent. */
  apiKeyEnv?: string | undefined;
  /** Its key. Without one, a provider that names an `apiKeyEnv`, or that always needs one, is not enabled. */
  apiKey?: string | undefined;
  /** Extra headers for each request. */
  headers?: Record<string, string> | undefined;
}
