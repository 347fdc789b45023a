import { eventStreamType, type Framing, keepAlive } from '@intelligence-api/transcoding/parts';
import type { StreamEnd, ToolCallPiece } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { StreamChatResponse } from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import { dataOf } from '../provider-state.ts';
import { isSilence } from '../silence.ts';
import { callItem, type Item, messageItem, ResponseShell, reasoningItem, textPart } from './reply.ts';
import type { ResponsesRequest } from './request-shapes.ts';
import { type CallKind, callKinds, itemPrefixes } from './tools.ts';

/** An item that pieces are being added to. */
interface OpenItem {
  index: number;
  id: string;
  text: string;
  call?: { id: string; name: string; kind: CallKind };
}

/**
 * Turns a stream's messages into that API's typed events, each numbered. An item has a start, its pieces and an end. Reasoning
 * ends once it is known what its provider wants back; what is only known at the end is an item of its own.
 */
export class ResponseEvents {
  readonly #requestId: string;
  readonly #shell: ResponseShell;
  readonly #kindOf: (name: string) => CallKind;
  readonly #done: Item[] = [];
  readonly #calls = new Map<number, OpenItem>();
  readonly #callStates = new Map<string, string>();
  #reasoning: OpenItem | undefined;
  /** The state that the last reasoning ended with. */
  #sealed = '';
  #message: OpenItem | undefined;
  #items = 0;
  #sequence = 0;

  constructor(requestId: string, asked: ResponsesRequest) {
    this.#requestId = requestId;
    this.#shell = new ResponseShell(requestId, asked);
    this.#kindOf = callKinds(asked.tools ?? []);
  }

  first(): object[] {
    const response = this.#shell.of('in_progress', []);
    return [this.#event('response.created', { response }), this.#event('response.in_progress', { response })];
  }

  of({ event }: StreamChatResponse): object[] {
    switch (event.case) {
      case 'content':
        return this.#text(event.value);
      case 'reasoningSummary':
        return this.#thought(event.value);
      case 'providerState':
        this.#sealed = event.value;
        return [...this.#endMessage(), ...this.#endReasoning(dataOf({ message: event.value, calls: new Map() }))];
      case 'toolCall':
        return this.#call(event.value);
      case 'end':
        return this.#end(event.value);
      default:
        return [];
    }
  }

  failed(error: { code: string; message: string; param: string | null }): object {
    return this.#event('error', error);
  }

  #text(delta: string): object[] {
    const begun: object[] = [];
    if (!this.#message) {
      this.#message = this.#begin('msg');
      const { id } = this.#message;
      begun.push(
        this.#about(this.#message, 'response.output_item.added', { item: messageItem(id, '', 'in_progress') }),
        this.#inItem(this.#message, 'response.content_part.added', { content_index: 0, part: textPart('') }),
      );
    }
    this.#message.text += delta;
    return [
      ...begun,
      this.#inItem(this.#message, 'response.output_text.delta', { content_index: 0, delta, logprobs: [] }),
    ];
  }

  #thought(delta: string): object[] {
    const begun: object[] = [];
    if (!this.#reasoning) {
      begun.push(...this.#endMessage());
      this.#reasoning = this.#begin('rs');
      const part = { type: 'summary_text', text: '' };
      begun.push(
        this.#about(this.#reasoning, 'response.output_item.added', {
          item: reasoningItem(this.#reasoning.id, '', undefined),
        }),
        this.#inItem(this.#reasoning, 'response.reasoning_summary_part.added', { summary_index: 0, part }),
      );
    }
    this.#reasoning.text += delta;
    return [
      ...begun,
      this.#inItem(this.#reasoning, 'response.reasoning_summary_text.delta', { summary_index: 0, delta }),
    ];
  }

  #call({ index, id, name, arguments: delta, providerState }: ToolCallPiece): object[] {
    const begun: object[] = [];
    let open = this.#calls.get(index);
    if (!open) {
      begun.push(...this.#endMessage());
      const kind = this.#kindOf(name);
      open = { ...this.#begin(itemPrefixes[kind]), call: { id, name, kind } };
      this.#calls.set(index, open);
      const item = callItem(open.id, { id, name, arguments: '' }, kind, 'in_progress');
      begun.push(this.#about(open, 'response.output_item.added', { item }));
    }
    if (providerState !== '' && open.call) this.#callStates.set(open.call.id, providerState);
    if (delta === '') return begun;
    open.text += delta;
    // Pieces of the JSON around a free-form text are not part of it, so it comes whole, at its end.
    if (open.call?.kind !== 'function') return begun;
    return [...begun, this.#inItem(open, 'response.function_call_arguments.delta', { delta })];
  }

  #end(end: StreamEnd): object[] {
    const isTold = this.#callStates.size === 0 && end.providerState === this.#sealed;
    const state = isTold ? undefined : dataOf({ message: end.providerState, calls: this.#callStates });
    const events = [...this.#endMessage(), ...this.#endCalls(), ...this.#endReasoning(state)];
    const output = this.#done.filter(Boolean);
    const response = this.#shell.ended(output, end);
    const { status } = response as { status: string };
    return [...events, this.#event(`response.${status}`, { response })];
  }

  #endMessage(): object[] {
    const open = this.#message;
    this.#message = undefined;
    if (!open) return [];
    const { id, text } = open;
    return [
      this.#inItem(open, 'response.output_text.done', { content_index: 0, text, logprobs: [] }),
      this.#inItem(open, 'response.content_part.done', { content_index: 0, part: textPart(text) }),
      this.#finish(open, messageItem(id, text)),
    ];
  }

  #endCalls(): object[] {
    return [...this.#calls.values()].flatMap((open) => {
      const { id = '', name = '', kind = 'function' } = open.call ?? {};
      const item = callItem(open.id, { id, name, arguments: open.text }, kind);
      return [...this.#endInput(open, item, name), this.#finish(open, item)];
    });
  }

  #endInput(open: OpenItem, item: Item, name: string): object[] {
    if (item.type === 'local_shell_call') return [];
    if (item.type === 'function_call')
      return [this.#inItem(open, 'response.function_call_arguments.done', { name, arguments: open.text })];
    const { input } = item;
    return [
      this.#inItem(open, 'response.custom_tool_call_input.delta', { delta: input }),
      this.#inItem(open, 'response.custom_tool_call_input.done', { input }),
    ];
  }

  #endReasoning(state: string | undefined): object[] {
    const open = this.#reasoning;
    this.#reasoning = undefined;
    if (open) {
      const part = { type: 'summary_text', text: open.text };
      return [
        this.#inItem(open, 'response.reasoning_summary_text.done', { summary_index: 0, text: open.text }),
        this.#inItem(open, 'response.reasoning_summary_part.done', { summary_index: 0, part }),
        this.#finish(open, reasoningItem(open.id, open.text, state)),
      ];
    }
    if (state === undefined) return [];
    const late = this.#begin('rs');
    const item = reasoningItem(late.id, '', state);
    return [this.#about(late, 'response.output_item.added', { item }), this.#finish(late, item)];
  }

  #begin(kind: string): OpenItem {
    const index = this.#items;
    this.#items += 1;
    return { index, id: `${kind}_${this.#requestId}_${index}`, text: '' };
  }

  #finish(open: OpenItem, item: Item): object {
    this.#done[open.index] = item;
    return this.#about(open, 'response.output_item.done', { item });
  }

  #about(open: OpenItem, type: string, members: object): object {
    return this.#event(type, { output_index: open.index, ...members });
  }

  #inItem(open: OpenItem, type: string, members: object): object {
    return this.#event(type, { item_id: open.id, output_index: open.index, ...members });
  }

  #event(type: string, members: object): object {
    const sequence_number = this.#sequence;
    this.#sequence += 1;
    return { type, sequence_number, ...members };
  }
}

/** A stream as named server-sent events. A failure is the last event. `errorOf`: prints it for the caller. */
export function responseFraming(options: {
  requestId: string;
  asked: ResponsesRequest;
  errorOf(error: unknown): { code: string; message: string; param: string | null };
}): Framing<StreamChatResponse> {
  const events = new ResponseEvents(options.requestId, options.asked);
  const named = (event: object) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`;
  return {
    contentType: () => eventStreamType,
    opening: events.first().map(named).join(''),
    frame: (message) => (isSilence(message) ? keepAlive : events.of(message).map(named).join('')),
    failure: (error) => named(events.failed(options.errorOf(error))),
    hasHeartbeat: true,
  };
}
