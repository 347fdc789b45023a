import type {
  JSONObject,
  LanguageModelV4Content,
  LanguageModelV4StreamPart,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { Dialect } from '../providers/index.ts';
import type { ProviderStates, StatePart } from './provider-state.ts';
import type { ChatToolCall, ReplyMessage } from './types.ts';

/** Who a reply's provider states belong to. */
export interface StateOwner {
  states: ProviderStates;
  accountId: string;
  provider: string;
  model: string;
}

/** Collects, as a reply arrives, what its provider wants back. */
export class ReplyState {
  readonly #dialect: Dialect;
  readonly #parts: StatePart[] = [];
  readonly #open = new Map<string, Extract<StatePart, { metadata: JSONObject }>>();
  readonly #calls = new Map<string, JSONObject>();
  /** What was sealed before the end, and how many parts it covers. */
  #early: { parts: number; sealed: string } | undefined;

  constructor(dialect: Dialect) {
    this.#dialect = dialect;
  }

  /** One part of a whole reply. */
  whole(part: LanguageModelV4Content): void {
    if (part.type === 'reasoning') this.#begin('reasoning', undefined, part.text, part.providerMetadata);
    else if (part.type === 'text') this.#begin('text', undefined, part.text, part.providerMetadata);
    else if (part.type === 'tool-call') this.#call(part.toolCallId, part.providerMetadata);
  }

  /** One part of a streamed reply. */
  piece(part: LanguageModelV4StreamPart): void {
    const { type } = part;
    if (type === 'tool-call') this.#call(part.toolCallId, part.providerMetadata);
    else if (type === 'reasoning-start' || type === 'text-start')
      this.#begin(type === 'text-start' ? 'text' : 'reasoning', idOf(type, part.id), '', part.providerMetadata);
    else if (type === 'reasoning-delta' || type === 'text-delta')
      this.#more(idOf(type, part.id), part.delta, part.providerMetadata);
    else if (type === 'reasoning-end' || type === 'text-end')
      this.#more(idOf(type, part.id), '', part.providerMetadata);
  }

  /** The sealed state of one call; undefined if its provider gave none. */
  ofCall(id: string, owner: StateOwner): string | undefined {
    const metadata = this.#calls.get(id);
    return metadata && owner.states.seal(owner.accountId, { ...namesOf(owner), id, metadata });
  }

  /** A whole message with the sealed state that its provider wants back. */
  sealed(message: ReplyMessage, owner: StateOwner): ReplyMessage {
    const toolCalls = message.toolCalls.map((call): ChatToolCall => {
      const providerState = this.ofCall(call.id, owner);
      return providerState ? { ...call, providerState } : call;
    });
    return this.withMessageState({ ...message, toolCalls }, owner);
  }

  /** The sealed state of the signed reasoning so far; undefined if there is none, or nothing new since the last time. */
  ofThoughts(owner: StateOwner): string | undefined {
    const end = this.#parts.findLastIndex(({ kind }) => kind === 'reasoning') + 1;
    const known = this.#parts.slice(0, end);
    if (end <= (this.#early?.parts ?? 0) || !known.some(isSigned)) return undefined;
    this.#early = { parts: end, sealed: this.#sealed(known, owner) };
    return this.#early.sealed;
  }

  /** A message with its own state added; its calls already have theirs. */
  withMessageState(message: ReplyMessage, owner: StateOwner): ReplyMessage {
    if (!this.#isWanted) return message;
    const providerState = (this.#isAllThoughts && this.#early?.sealed) || this.#sealed(this.#parts, owner);
    return { ...message, providerState };
  }

  #sealed(parts: StatePart[], owner: StateOwner): string {
    return owner.states.seal(owner.accountId, { ...namesOf(owner), parts });
  }

  /** Whether the state sealed earlier is complete: only text with no metadata came after it, followed by calls. */
  get #isAllThoughts(): boolean {
    const rest = this.#parts.slice(this.#early?.parts ?? 0);
    const firstCall = rest.findIndex(({ kind }) => kind === 'call');
    return rest.every((part, place) => {
      if (part.kind === 'call') return true;
      const isBeforeCalls = firstCall < 0 || place < firstCall;
      return part.kind === 'text' && isBeforeCalls && !isSigned(part);
    });
  }

  // Signed reasoning goes back with its signature; if the provider signs nothing, reasoning in a tool loop goes back as it is.
  get #isWanted(): boolean {
    const aloud = this.#dialect.state.reasoning?.length === 0 && this.#parts.some(({ kind }) => kind === 'call');
    return this.#parts.some((part) => isSigned(part) || (aloud && part.kind === 'reasoning'));
  }

  #begin(kind: 'reasoning' | 'text', id: string | undefined, text: string, metadata?: SharedV4ProviderMetadata): void {
    if (kind === 'reasoning' && !this.#dialect.state.reasoning) return;
    const kept = this.#kept(kind, metadata) ?? {};
    const part = kind === 'reasoning' ? { kind, text, metadata: kept } : { kind, length: text.length, metadata: kept };
    this.#parts.push(part);
    if (id !== undefined) this.#open.set(id, part);
  }

  #more(id: string, text: string, metadata?: SharedV4ProviderMetadata): void {
    const part = this.#open.get(id);
    if (!part) return;
    if (part.kind === 'reasoning') part.text += text;
    else part.length += text.length;
    Object.assign(part.metadata, this.#kept(part.kind, metadata));
  }

  #call(id: string, metadata?: SharedV4ProviderMetadata): void {
    this.#parts.push({ kind: 'call', id });
    const kept = this.#kept('call', metadata);
    if (kept) this.#calls.set(id, kept);
  }

  #kept(kind: 'reasoning' | 'text' | 'call', metadata: SharedV4ProviderMetadata | undefined): JSONObject | undefined {
    const given = metadata?.[this.#dialect.namespace];
    const kept: JSONObject = {};
    for (const name of this.#dialect.state[kind] ?? []) {
      const value = given?.[name];
      if (value !== undefined && value !== null) kept[name] = value;
    }
    return Object.keys(kept).length > 0 ? kept : undefined;
  }
}

/** Whether the provider attached metadata that it wants back. */
function isSigned(part: StatePart): boolean {
  return part.kind !== 'call' && Object.keys(part.metadata).length > 0;
}

function namesOf({ provider, model }: StateOwner): { provider: string; model: string } {
  return { provider, model };
}

// Reasoning and text parts are numbered independently.
function idOf(type: string, id: string): string {
  return `${type.slice(0, type.indexOf('-'))} ${id}`;
}
