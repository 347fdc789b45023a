import { z } from 'zod';
import { base64, listOf } from '../shapes.ts';

// What the Responses API accepts. Members not listed here are dropped and reported as ignored; those that would change what a
// reply is are listed, to be refused.

const record = z.record(z.string(), z.unknown());

const inputText = z.object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() });
const refusal = z.object({ type: z.literal('refusal'), refusal: z.string() });
const inputImage = z.object({
  type: z.literal('input_image'),
  image_url: z.string({ error: 'must be an https address or data:image/...;base64,...: files are not kept here' }),
});
const inputFile = z.object({
  type: z.literal('input_file'),
  filename: z.string().nullish(),
  file_data: z.string().nullish(),
  file_url: z.string().nullish(),
});
const inputAudio = z.object({
  type: z.literal('input_audio'),
  input_audio: z.object({ data: base64, format: z.enum(['wav', 'mp3']) }),
});
const part = z.discriminatedUnion('type', [inputText, refusal, inputImage, inputFile, inputAudio]);

const message = z.object({
  type: z.literal('message').default('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), listOf(part, 256)]),
});
const functionCall = z.object({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const functionCallOutput = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: z.union([z.string(), listOf(part, 256)]),
});
const reasoningItem = z.object({
  type: z.literal('reasoning'),
  encrypted_content: z.string().nullish(),
  summary: listOf(z.unknown(), 256).nullish(),
});

const customCall = z.object({
  type: z.literal('custom_tool_call'),
  call_id: z.string(),
  name: z.string(),
  input: z.string(),
});
const customCallOutput = z.object({
  type: z.literal('custom_tool_call_output'),
  call_id: z.string(),
  output: z.union([z.string(), listOf(part, 256)]),
});
const shellCall = z.object({
  type: z.literal('local_shell_call'),
  call_id: z.string(),
  action: z.object({
    type: z.literal('exec'),
    command: listOf(z.string(), 1_024),
    env: z.record(z.string(), z.string()).nullish(),
    timeout_ms: z.number().nullish(),
    working_directory: z.string().nullish(),
  }),
});
/** In that API the call's id is `id`; codex sends it as `call_id`. */
const shellCallOutput = z
  .object({
    type: z.literal('local_shell_call_output'),
    id: z.string().nullish(),
    call_id: z.string().nullish(),
    output: z.string(),
  })
  .refine(({ id, call_id }) => id != null || call_id != null, { path: ['id'], error: 'is required' });

const item = z.discriminatedUnion('type', [
  message,
  functionCall,
  functionCallOutput,
  reasoningItem,
  customCall,
  customCallOutput,
  shellCall,
  shellCallOutput,
]);
/** A message may omit its type. */
const typed = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && !('type' in given) ? { type: 'message', ...given } : given,
  item,
);

const functionTool = z.object({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullish(),
  parameters: record.nullish(),
  strict: z.boolean().nullish(),
});

const customTool = z.object({
  type: z.literal('custom'),
  name: z.string(),
  description: z.string().nullish(),
  format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('grammar'), syntax: z.enum(['lark', 'regex']), definition: z.string() }),
    ])
    .nullish(),
});
const shellTool = z.object({ type: z.literal('local_shell') });

const tool = z.discriminatedUnion('type', [functionTool, customTool, shellTool], {
  error:
    'must be function, custom or local_shell: tools that run at the provider are not available; leave them out, or give the model a function',
});

const allowedTool = z.discriminatedUnion('type', [
  z.object({ type: z.literal('function'), name: z.string() }),
  z.object({ type: z.literal('custom'), name: z.string() }),
  shellTool,
]);
const toolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('function'), name: z.string() }),
      z.object({ type: z.literal('custom'), name: z.string() }),
      z.object({
        type: z.literal('allowed_tools'),
        mode: z.enum(['auto', 'required']),
        tools: listOf(allowedTool, 128, 1),
      }),
    ],
    { error: 'must be function, custom or allowed_tools: of other kinds send only the tools that may be called' },
  ),
]);

const format = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text') }),
  z.object({ type: z.literal('json_object') }),
  z.object({ type: z.literal('json_schema'), name: z.string(), schema: record, strict: z.boolean().nullish() }),
]);

const noLogprobs = 'replies carry no probabilities of tokens';
const stateless = 'is not available: nothing is kept between requests; send the whole conversation as input';
// Most of what can be requested belongs to tools that run at the provider, so it never occurs here.
const included = z.string().refine((name) => !name.endsWith('.logprobs'), `is not supported: ${noLogprobs}`);
const absent = (reason: string) => z.null({ error: reason }).optional();

export const responsesRequest = z.object({
  model: z.string().default('auto'),
  input: z.union([z.string(), listOf(typed, 4_096, 1)]),
  instructions: z.string().nullish(),
  tools: listOf(tool, 128).nullish(),
  tool_choice: toolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  max_output_tokens: z.int().min(1).max(1_000_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  // From this API's open specification; OpenAI's own lacks them.
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  stream: z.boolean().nullish(),
  reasoning: z
    .object({
      effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
      summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      // Its earlier name.
      generate_summary: z.enum(['auto', 'concise', 'detailed']).nullish(),
      mode: z.literal('standard', { error: 'must be standard' }).nullish(),
    })
    .nullish(),
  text: z.object({ format: format.nullish() }).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  include: listOf(included, 16).nullish(),
  store: z.boolean().nullish(),
  truncation: z.literal('disabled', { error: 'must be disabled: nothing of the input is left out' }).nullish(),
  previous_response_id: absent(stateless),
  conversation: absent(stateless),
  prompt: absent('is not available: send the text as instructions and input'),
  background: z.literal(false, { error: 'must be false: a reply is given at once' }).nullish(),
  service_tier: z.enum(['auto', 'default'], { error: 'must be auto or default' }).nullish(),
  moderation: absent('is not available: give the key a guardrail'),
  prompt_cache_options: z
    .object({ prewarm: z.literal(false, { error: 'must be false: a reply is made' }).optional() })
    .nullish(),
  top_logprobs: z.literal(0, { error: `must be 0: ${noLogprobs}` }).nullish(),
});

export type ResponsesRequest = z.infer<typeof responsesRequest>;
export type ResponsesTool = z.infer<typeof tool>;
export type InputItem = z.infer<typeof item>;
export type InputPart = z.infer<typeof part>;
