/** A provider's server, in OpenTelemetry's terms. */
export interface UpstreamServer {
  /** `gen_ai.provider.name`: a well-known value if there is one, otherwise the provider's id. */
  providerName: string;
  /** Absent for a model in this process. */
  address?: string;
  port?: number;
}

export interface UpstreamSettings {
  id: string;
  kind: string;
  baseUrl?: string | undefined;
}

/** The kinds of providers with an address of their own, with their names in the conventions. */
const known: Readonly<Record<string, { providerName: string; baseUrl: string }>> = {
  openai: { providerName: 'openai', baseUrl: 'https://api.openai.com' },
  anthropic: { providerName: 'anthropic', baseUrl: 'https://api.anthropic.com' },
  google: { providerName: 'gcp.gemini', baseUrl: 'https://generativelanguage.googleapis.com' },
};

/** The conventions' names for hosts that speak OpenAI's API. */
const namedHosts: readonly [host: string, providerName: string][] = [
  ['api.deepseek.com', 'deepseek'],
  ['api.groq.com', 'groq'],
  ['api.mistral.ai', 'mistral_ai'],
  ['api.moonshot.ai', 'moonshot_ai'],
  ['api.perplexity.ai', 'perplexity'],
  ['api.x.ai', 'x_ai'],
];

/** What is known about each provider's server, by provider id. */
export function upstreamServers(providers: readonly UpstreamSettings[]): ReadonlyMap<string, UpstreamServer> {
  return new Map(providers.map((settings) => [settings.id, serverOf(settings)]));
}

function serverOf({ id, kind, baseUrl }: UpstreamSettings): UpstreamServer {
  const fixed = known[kind];
  const url = URL.parse(baseUrl ?? fixed?.baseUrl ?? '');
  const named = namedHosts.find(([host]) => host === url?.hostname);
  const providerName = fixed?.providerName ?? named?.[1] ?? id;
  if (!url) return { providerName };
  const port = url.port === '' ? (url.protocol === 'http:' ? 80 : 443) : Number(url.port);
  return { providerName, address: url.hostname.replace(/^\[|\]$/g, ''), port };
}
