import { z } from 'zod';
import { base64, listOf } from '../shapes.ts';

// The contract's limits, so that oversized input is refused before each element is checked.
const messagesMax = 2_048;
const blocksMax = 256;
const toolsMax = 128;

// What the Messages API accepts (version 2023-06-01 and its additions so far). Members not listed here are dropped and reported
// as ignored.

const cacheControl = z.object({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() }).nullish();

const textBlock = z.object({ type: z.literal('text'), text: z.string(), cache_control: cacheControl });

const imageBlock = z.object({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('base64'), media_type: z.string(), data: base64 }),
    z.object({ type: z.literal('url'), url: z.string() }),
  ]),
  cache_control: cacheControl,
});

const documentBlock = z.object({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.object({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    z.object({ type: z.literal('url'), url: z.string() }),
    z.object({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations: z.object({ enabled: z.boolean().optional() }).nullish(),
  cache_control: cacheControl,
});

const toolUseBlock = z.object({
  type: z.literal('tool_use'),
  id: z.string(),
  name: z.string(),
  input: z.record(z.string(), z.unknown()),
  cache_control: cacheControl,
});

const resultBlock = z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock]);

const toolResultBlock = z.object({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), listOf(resultBlock, blocksMax)]).nullish(),
  is_error: z.boolean().nullish(),
  cache_control: cacheControl,
});

const thinkingBlock = z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string().nullish() });
const redactedThinkingBlock = z.object({ type: z.literal('redacted_thinking'), data: z.string() });

const userBlock = z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, toolResultBlock]);
const assistantBlock = z.discriminatedUnion('type', [textBlock, toolUseBlock, thinkingBlock, redactedThinkingBlock]);

const message = z.discriminatedUnion('role', [
  z.object({ role: z.literal('user'), content: z.union([z.string(), listOf(userBlock, blocksMax)]) }),
  z.object({ role: z.literal('assistant'), content: z.union([z.string(), listOf(assistantBlock, blocksMax)]) }),
  // Mid-conversation instructions, which newer clients send.
  z.object({ role: z.literal('system'), content: z.union([z.string(), listOf(textBlock, blocksMax)]) }),
]);

const tool = z.object({
  type: z
    .literal('custom', {
      error:
        'must be custom: tools that run at the provider or have a type of its own are not available; leave them out',
    })
    .nullish(),
  name: z.string(),
  description: z.string().nullish(),
  input_schema: z.record(z.string(), z.unknown()),
  strict: z.boolean().nullish(),
  cache_control: cacheControl,
});

const toolChoice = z.discriminatedUnion('type', [
  z.object({ type: z.literal('auto'), disable_parallel_tool_use: z.boolean().optional() }),
  z.object({ type: z.literal('any'), disable_parallel_tool_use: z.boolean().optional() }),
  z.object({ type: z.literal('tool'), name: z.string(), disable_parallel_tool_use: z.boolean().optional() }),
  z.object({ type: z.literal('none') }),
]);

const thinking = z.discriminatedUnion('type', [
  z.object({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), display: z.string().nullish() }),
  z.object({ type: z.literal('adaptive'), display: z.string().nullish() }),
  z.object({ type: z.literal('disabled') }),
]);

const outputConfig = z.object({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.object({ type: z.literal('json_schema'), schema: z.record(z.string(), z.unknown()) }).nullish(),
});

const absent = (reason: string) => z.null({ error: `is not available: ${reason}` }).optional();

/** What message requests and token counts have in common. */
const conversation = {
  cache_control: cacheControl,
  speed: z.literal('standard', { error: 'must be standard: there is no faster mode at another price' }).nullish(),
  mcp_servers: z.array(z.unknown()).max(0, 'is not available: give the model tools of your own').nullish(),
  model: z.string(),
  messages: listOf(message, messagesMax, 1),
  system: z.union([z.string(), listOf(textBlock, blocksMax)]).nullish(),
  tools: listOf(tool, toolsMax).nullish(),
  tool_choice: toolChoice.nullish(),
  thinking: thinking.nullish(),
  output_config: outputConfig.nullish(),
};

export const messagesRequest = z.object({
  ...conversation,
  max_tokens: z.int().min(1),
  stream: z.boolean().nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  stop_sequences: listOf(z.string(), 16).nullish(),
  metadata: z.object({ user_id: z.string().nullish() }).nullish(),
  container: absent('nothing runs at the provider'),
  inference_geo: absent('choose a model whose provider is where you want'),
});
export const countRequest = z.object(conversation);

export type MessagesRequest = z.infer<typeof messagesRequest>;
export type CountRequest = z.infer<typeof countRequest>;
export type CacheControl = z.infer<typeof cacheControl>;
export type Block = z.infer<typeof userBlock> | z.infer<typeof assistantBlock>;
export type Message = z.infer<typeof message>;
