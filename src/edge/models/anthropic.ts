import { FailureError, invalid } from '../../base/failure.ts';
import type { NamedModel } from './named.ts';

const limitDefault = 20;
const limitMax = 1_000;

/** One page of models in Anthropic's format; throws with the invalid parameter. */
export function modelPage(models: readonly NamedModel[], query: URLSearchParams): object {
  const limit = limitOf(query.get('limit'));
  const [after, before] = [query.get('after_id'), query.get('before_id')];
  if (after !== null && before !== null)
    throw new FailureError(invalid('before_id', 'must not be sent together with after_id'));
  const start = after === null ? 0 : placeOf(after, 'after_id', models) + 1;
  const end = before === null ? models.length : placeOf(before, 'before_id', models);
  // Backwards, the page ends there.
  const from = before === null ? start : Math.max(0, end - limit);
  const page = models.slice(from, Math.min(end, from + limit));
  return {
    data: page.map(modelInfo),
    first_id: page.at(0)?.name ?? null,
    last_id: page.at(-1)?.name ?? null,
    has_more: before === null ? from + page.length < models.length : from > 0,
  };
}

function limitOf(given: string | null): number {
  if (given === null) return limitDefault;
  const limit = /^\d{1,4}$/.test(given) ? Number(given) : 0;
  if (limit < 1 || limit > limitMax)
    throw new FailureError(invalid('limit', `must be a whole number from 1 to ${limitMax}`));
  return limit;
}

function placeOf(name: string, parameter: string, models: readonly NamedModel[]): number {
  const place = models.findIndex((model) => model.name === name);
  if (place < 0)
    throw new FailureError(invalid(parameter, 'is the id of no model: take first_id or last_id of a page'));
  return place;
}

/** A model in that API's format. Its creation time is unknown; that API then says 1970. */
export function modelInfo({ name, chat }: NamedModel): object {
  return {
    type: 'model',
    id: name,
    display_name: name,
    created_at: '1970-01-01T00:00:00Z',
    ...{ lifecycle: 'active', deprecated_at: null, retires_at: null, line: null },
    // When the service chooses, the limits are those of whichever model it picks.
    max_input_tokens: chat?.contextTokens ?? null,
    max_tokens: chat?.maxOutputTokens ?? null,
    capabilities: chat ? capabilitiesOf(chat.capabilities) : null,
  };
}

function capabilitiesOf(known: readonly string[]): object {
  const has = (capability: string) => ({ supported: known.includes(capability) });
  const none = { supported: false };
  const thinks = has('reasoning');
  return {
    image_input: has('images'),
    pdf_input: has('documents'),
    structured_outputs: has('json'),
    thinking: {
      ...thinks,
      types: { adaptive: thinks, enabled: thinks, disabled: { supported: true }, between_tools: none },
    },
    effort: { ...thinks, low: thinks, medium: thinks, high: thinks, xhigh: thinks, max: thinks },
    // Features that run at Anthropic's own service are not available here.
    ...{ batch: none, citations: none, code_execution: none },
    context_management: {
      ...none,
      ...{ clear_thinking_20251015: null, clear_tool_uses_20250919: null, compact_20260112: null },
    },
    server_tools: { ...none, code_execution: none, web_search: none },
  };
}
