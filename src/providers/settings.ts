export type ProviderKind = 'builtin' | 'openai' | 'anthropic' | 'google' | 'openai-compatible';

/** One provider, as configured. */
export interface ProviderSettings {
  /** The name that models and callers use for it. */
  id: string;
  kind: ProviderKind;
  /** The base URL of its API; only `openai-compatible` needs it. */
  baseUrl?: string | undefined;
  /** The environment variable that holds its key, named in the message when it is missing. */
  apiKeyEnv?: string | undefined;
  /** Its key. Without one, a provider that names an `apiKeyEnv`, or that always needs a key, is not enabled. */
  apiKey?: string | undefined;
  /** Extra headers for each request. */
  headers?: Record<string, string> | undefined;
}
