import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf';
import type { ToolSchema } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { ResponsesTool } from './request-shapes.ts';

/** How that API writes calls of a tool; to models each is a function. */
export type CallKind = 'function' | 'custom' | 'local_shell';

/** The id prefixes of items that are such calls. */
export const itemPrefixes: Record<CallKind, string> = { function: 'fc', custom: 'ctc', local_shell: 'lsh' };

/** The name of the shell, which has none in that API. */
export const shellName = 'local_shell';

const text = { type: 'string' };
const customParameters = {
  ...{ type: 'object', properties: { input: text }, required: ['input'], additionalProperties: false },
};
const shellParameters = {
  type: 'object',
  properties: {
    command: { type: 'array', items: text, description: 'The program and its arguments.' },
    working_directory: { ...text, description: 'Where it runs.' },
    timeout_ms: { type: 'integer', description: 'After so many milliseconds it is ended.' },
    env: { type: 'object', additionalProperties: text, description: 'Variables of its environment.' },
  },
  required: ['command'],
  additionalProperties: false,
};

/** A tool as one of our functions. A free-form text, or a command, becomes the function's arguments. */
export function toolOf(tool: ResponsesTool): MessageInitShape<typeof ToolSchema> {
  switch (tool.type) {
    case 'custom':
      return { name: tool.name, description: customDescription(tool), parameters: customParameters as JsonObject };
    case 'local_shell':
      return {
        name: shellName,
        description: 'Runs a command on the computer of the user, and answers with what it prints.',
        parameters: shellParameters as JsonObject,
      };
    default:
      return {
        ...{ name: tool.name, description: tool.description ?? '' },
        ...(tool.parameters && { parameters: tool.parameters as JsonObject }),
        ...(tool.strict != null && { strict: tool.strict }),
      };
  }
}

/** Only OpenAI's own models enforce a grammar; other models are only told about it. */
function customDescription({ description, format }: Extract<ResponsesTool, { type: 'custom' }>): string {
  const told =
    format?.type === 'grammar' ? [`The input must fit this ${format.syntax} grammar:`, format.definition] : [];
  return [description ?? '', ...told].filter((line) => line !== '').join('\n\n');
}

/** The call format of each tool in a request. */
export function callKinds(tools: readonly ResponsesTool[]): (name: string) => CallKind {
  const kinds = new Map(tools.map((tool) => [tool.type === 'local_shell' ? shellName : tool.name, tool.type] as const));
  return (name) => kinds.get(name) ?? 'function';
}

/** The text in the arguments that a model wrote for a custom tool; arguments in any other form are themselves the text. */
export function customInput(args: string): string {
  const { input } = parsed(args);
  return typeof input === 'string' ? input : args;
}

/** What a shell is to do, from the arguments that a model wrote. */
export function shellAction(args: string): object {
  const { command, env, timeout_ms, working_directory } = parsed(args);
  return {
    type: 'exec',
    command: Array.isArray(command) ? command.map(String) : args === '' ? [] : [String(command ?? args)],
    env: typeof env === 'object' && env !== null ? env : {},
    timeout_ms: typeof timeout_ms === 'number' ? timeout_ms : null,
    user: null,
    working_directory: typeof working_directory === 'string' ? working_directory : null,
  };
}

function parsed(args: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(args);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
