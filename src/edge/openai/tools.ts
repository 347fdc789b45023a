import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ToolChoiceSchema } from '../../gen/intelligence/chat/v1/chat_pb.ts';
import type { AllowedName } from '../allowed-tools.ts';
import { functionMembers, type MemberCheck, refuse, toolMembers } from './parameters.ts';
import { flagAt, jsonAt, listAt, objectAt, optional, textAt } from './values.ts';

export function toolsOf(value: unknown, members: MemberCheck) {
  return listAt(value, 'tools').map((entry, index) => {
    const tool = objectAt(entry, `tools[${index}]`);
    if (tool.type !== 'function')
      refuse(`tools[${index}].type`, 'must be function: give a tool that takes free text one text as its parameter');
    members.check(tool, toolMembers, `tools[${index}]`);
    const defined = objectAt(tool.function, `tools[${index}].function`);
    members.check(defined, functionMembers, `tools[${index}].function`);
    return {
      name: textAt(defined.name, `tools[${index}].function.name`),
      ...optional('description', defined.description, (text) => textAt(text, `tools[${index}].function.description`)),
      ...optional('parameters', defined.parameters, (schema) => jsonAt(schema, `tools[${index}].function.parameters`)),
      ...optional('strict', defined.strict, flagAt(`tools[${index}].function.strict`)),
    };
  });
}

const modes = ['auto', 'none', 'required'];

/** The tool choice, and the names of the allowed tools if it is among some of them. */
export function toolChoiceOf(value: unknown): {
  choice: MessageInitShape<typeof ToolChoiceSchema>;
  allowed?: AllowedName[];
} {
  if (typeof value === 'string') return { choice: { mode: modeAt(value, 'tool_choice', modes) } };
  const choice = objectAt(value, 'tool_choice');
  if (choice.type === 'allowed_tools') return allowedOf(choice.allowed_tools, 'tool_choice.allowed_tools');
  if (choice.type !== 'function')
    refuse(
      'tool_choice.type',
      'must be function or allowed_tools: of other kinds send only the tools that may be called',
    );
  const { name } = objectAt(choice.function, 'tool_choice.function');
  return { choice: { mode: 'tool', toolName: textAt(name, 'tool_choice.function.name') } };
}

function allowedOf(value: unknown, at: string) {
  const { mode, tools } = objectAt(value, at);
  const listed = listAt(tools, `${at}.tools`);
  if (listed.length === 0)
    refuse(`${at}.tools`, 'must have at least 1 element; send `none` as `tool_choice` to allow no tool');
  const allowed = listed.map((entry, index) => {
    const place = `${at}.tools[${index}].function`;
    const { name } = objectAt(objectAt(entry, `${at}.tools[${index}]`).function, place);
    return { name: textAt(name, `${place}.name`), at: `${place}.name` };
  });
  return { choice: { mode: modeAt(mode, `${at}.mode`, ['auto', 'required']) }, allowed };
}

function modeAt(value: unknown, at: string, known: readonly string[]): string {
  const mode = textAt(value, at);
  return known.includes(mode) ? mode : refuse(at, `must be one of ${known.join(', ')}`);
}
