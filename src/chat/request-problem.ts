import { type Failure, invalid } from '../base/failure.ts';
import { isSilent } from './prompt.ts';
import type { ChatMessage, ChatPart, ChatRequest } from './types.ts';

/** Anthropic's limit, the lowest of the providers that take any. */
const cachePointsMax = 4;

/** Checks what the contract's own limits cannot express: rules that span fields. */
export function requestProblem(request: ChatRequest): Failure | undefined {
  if (request.messages.length === 0) return invalid('messages', 'At least one message is needed.');
  const calls = new Set<string>();
  for (const [index, message] of request.messages.entries()) {
    const problem =
      messageProblem(message, `messages[${index}]`) ?? answerProblem(message, `messages[${index}]`, calls);
    if (problem) return problem;
    for (const { id } of message.toolCalls ?? []) calls.add(id);
  }
  if (request.messages.every(isSilent)) return invalid('messages', 'All messages are empty.');
  if (cachePointsOf(request) > cachePointsMax)
    return invalid('messages', `A request has at most ${cachePointsMax} cache points.`);
  const { toolChoice, tools = [] } = request;
  const again = tools.findIndex(({ name }, index) => tools.findIndex((tool) => tool.name === name) < index);
  if (again !== -1) return invalid(`tools[${again}].name`, 'Another tool before this one has the same name.');
  if (toolChoice?.mode === 'tool' && !tools.some((tool) => tool.name === toolChoice.toolName))
    return invalid('toolChoice.toolName', 'None of the tools has this name.');
  if (toolChoice?.mode === 'required' && tools.length === 0)
    return invalid('toolChoice.mode', 'The model has to call a tool, and there is none: send `tools`.');
  return undefined;
}

function messageProblem(message: ChatMessage, at: string): Failure | undefined {
  const { role, content, parts = [], toolCalls = [] } = message;
  if (content && parts.length > 0) return invalid(`${at}.content`, 'Send either `content` or `parts`.');
  if (toolCalls.length > 0 && role !== 'assistant')
    return invalid(`${at}.toolCalls`, 'Only assistant messages have tool calls.');
  if (message.providerState && role !== 'assistant')
    return invalid(`${at}.providerState`, 'Only assistant messages have a provider state.');
  if (role === 'tool' && !message.toolCallId)
    return invalid(`${at}.toolCallId`, 'A tool message must name the call that it answers.');
  if (role !== 'user' && parts.some(({ kind }) => kind !== 'text'))
    return invalid(`${at}.parts`, 'Images, documents and audio are allowed only in user messages.');
  return parts.some(hasBadAddress) ? invalid(`${at}.parts`, 'An address is not a valid URL.') : undefined;
}

/** A tool's answer must come after its call; otherwise providers refuse it, each in its own words. */
function answerProblem({ role, toolCallId = '' }: ChatMessage, at: string, calls: ReadonlySet<string>) {
  if (role !== 'tool' || calls.has(toolCallId)) return undefined;
  return invalid(
    `${at}.toolCallId`,
    'No message before this one has a tool call with this id. Send the message of the assistant that has it, too.',
  );
}

function hasBadAddress(part: ChatPart): boolean {
  return 'url' in part && !URL.canParse(part.url);
}

function cachePointsOf({ messages, tools }: ChatRequest): number {
  const marked = (items: readonly { cachePoint?: unknown }[] = []) => items.filter((item) => item.cachePoint).length;
  return messages.reduce((sum, { parts }) => sum + marked(parts), marked(messages)) + marked(tools);
}
