import { OpenAICompatibleChatLanguageModel, VERSION } from '@ai-sdk/openai-compatible';
import {
  APICallError,
  InvalidResponseDataError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4GenerateResult,
  type LanguageModelV4StreamResult,
} from '@ai-sdk/provider';
import { usageOf } from './openai-compatible-usage.ts';
import { choicesMax, toolCallsMax, tooMany } from './reply-structure.ts';
import type { ProviderSettings } from './settings.ts';
import { makeUsageReadable, usageShapes } from './stated-usage.ts';
import type { UpstreamFetch, UpstreamReply, UpstreamTarget } from './upstream-fetch.ts';

/** Models of a server that speaks OpenAI's Chat Completions, by the server's own names for them. */
export function createOpenAICompatibleModel(
  settings: ProviderSettings,
  upstream: UpstreamFetch,
): (model: string) => LanguageModelV4 {
  const url = `${settings.baseUrl?.replace(/\/$/, '') ?? ''}/chat/completions`;
  const headers = headersOf(settings);
  return (model) => new DirectModel(model, { provider: settings.id, url, headers }, upstream);
}

/**
 * The package's model, except that its unary call bypasses the package's own path over `fetch`: it still builds the request and
 * reads the reply. That path took 31 of the package's 48 us of CPU per call.
 */
class DirectModel extends OpenAICompatibleChatLanguageModel {
  readonly #upstream: UpstreamFetch;
  readonly #target: UpstreamTarget;
  readonly #url: string;
  /** The key under which the package passes options on to the body unchanged. */
  readonly #ownName: string;

  constructor(
    model: string,
    { provider, url, headers }: { provider: string; url: string; headers: Record<string, string> },
    upstream: UpstreamFetch,
  ) {
    super(model, {
      provider: `${provider}.chat`,
      url: () => url,
      headers,
      includeUsage: true,
      supportsStructuredOutputs: true,
      convertUsage: usageOf,
      fetch: upstream.fetchStating(usage),
    });
    const { origin, pathname, search } = new URL(url);
    const head = Object.entries({ ...headers, 'content-type': 'application/json' }).flat();
    this.#upstream = upstream;
    this.#target = { origin, path: pathname + search, headers: head };
    this.#url = url;
    this.#ownName = provider.split('.')[0] ?? provider;
  }

  override doStream(options: LanguageModelV4CallOptions): Promise<LanguageModelV4StreamResult> {
    return super.doStream(this.#worded(options));
  }

  override async doGenerate(given: LanguageModelV4CallOptions): Promise<LanguageModelV4GenerateResult> {
    const options = this.#worded(given);
    const { body, warnings } = await this.prepareRequest(options);
    const reply = await this.#upstream.post(this.#target, JSON.stringify(body), options.abortSignal);
    if (reply.status < 200 || reply.status > 299) throw refused(reply, this.#url);
    const { providerOptions } = options;
    const result = await this.convertResponse({
      body: readable(parsed(reply)),
      ...(providerOptions && { providerOptions }),
    });
    return { ...result, warnings };
  }

  /** The package does not support `parallel_tool_calls`; options under the provider's own name go into the body. */
  #worded(options: LanguageModelV4CallOptions): LanguageModelV4CallOptions {
    const parallel = options.providerOptions?.openai?.parallelToolCalls;
    if (parallel === undefined) return options;
    const own = { ...options.providerOptions?.[this.#ownName], parallel_tool_calls: parallel };
    return { ...options, providerOptions: { ...options.providerOptions, [this.#ownName]: own } };
  }
}

function refused(reply: UpstreamReply, url: string): APICallError {
  const responseHeaders: Record<string, string> = {};
  for (const [name, value] of Object.entries(reply.headers))
    if (value !== undefined) responseHeaders[name] = String(value);
  // The request body stays out: errors are logged, conversations are not.
  const error = { message: `The provider answered ${reply.status}.`, url, requestBodyValues: {} };
  return new APICallError({ ...error, statusCode: reply.status, responseHeaders, data: dataOf(reply) });
}

function dataOf(reply: UpstreamReply): unknown {
  try {
    return parsed(reply);
  } catch {
    return undefined;
  }
}

const utf8 = new TextDecoder();

function parsed({ body }: UpstreamReply): unknown {
  try {
    return JSON.parse(utf8.decode(body));
  } catch {
    // The parser's own message would quote the text.
    throw new InvalidResponseDataError({ data: undefined, message: 'The reply is not JSON.' });
  }
}

const usage = usageShapes['openai-compatible'];

/** A reply as the package can read it. Its bounds are checked before: reading takes several microseconds for each choice and call. */
function readable(body: unknown): unknown {
  makeUsageReadable(body, usage);
  const { choices } = (body ?? {}) as { choices?: unknown };
  if (!Array.isArray(choices)) return body;
  const calls = choices.map((choice) => choice?.message?.tool_calls?.length ?? 0);
  if (choices.length > choicesMax || calls.some((count) => count > toolCallsMax))
    throw tooMany('choices or tool calls');
  return body;
}

function headersOf({ apiKey, headers = {} }: ProviderSettings): Record<string, string> {
  const named: Record<string, string> = apiKey ? { authorization: `Bearer ${apiKey}` } : {};
  for (const [name, value] of Object.entries(headers)) named[name.toLowerCase()] = value;
  const agent = named['user-agent'];
  named['user-agent'] = `${agent ? `${agent} ` : ''}ai-sdk-openai-compatible/${VERSION}`;
  return named;
}
