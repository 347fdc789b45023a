import { apiUrl } from '../../api.ts';
import type { ChatRequest } from './ask.ts';

export const sampleKinds = ['curl', 'typescript', 'python', 'openai'] as const;
export type SampleKind = (typeof sampleKinds)[number];

const path = '/api/v1/assistant/chat';
/** Longer base64 texts do not improve a sample. */
const dataMax = 120;

/** The same request in a programming language, for a server that has the key in `API_KEY`. */
export function sampleOf(kind: SampleKind, request: ChatRequest): string {
  const short = shortened(request) as ChatRequest;
  if (kind === 'curl') return curlOf(short);
  if (kind === 'typescript') return typescriptOf(short);
  return kind === 'python' ? pythonOf(short) : openaiOf(short);
}

function curlOf(request: ChatRequest): string {
  const body = JSON.stringify(request, null, 2).replaceAll("'", "'\\''");
  return `curl -sSN '${apiUrl(path)}' \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -H 'Accept: text/event-stream' \\
  -d '${body}'
`;
}

function typescriptOf(request: ChatRequest): string {
  return `const response = await fetch('${apiUrl(path)}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.API_KEY}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indented(JSON.stringify(request, null, 2), 2)}),
});
const reply = await response.json();
if (!response.ok) throw new Error(reply.error.message);
console.log(reply.message.content, reply.usage.costUsd);
`;
}

function pythonOf(request: ChatRequest): string {
  return `import json, os, urllib.request

request = urllib.request.Request(
    ${JSON.stringify(apiUrl(path))},
    headers={
        "Authorization": f"Bearer {os.environ['API_KEY']}",
        "Content-Type": "application/json",
    },
    data=json.dumps(${indented(pythonLiteral(request), 4)}).encode(),
)
with urllib.request.urlopen(request) as response:
    reply = json.load(response)
print(reply["message"]["content"], reply["usage"]["costUsd"])
`;
}

/** The same request in the names of OpenAI's client; fields without one are left out. */
function openaiOf({
  provider,
  model,
  routing,
  messages = [],
  maxOutputTokens,
  temperature,
  reasoning,
}: ChatRequest): string {
  const openai = {
    model: model === undefined ? (routing?.mode ? `auto:${routing.mode}` : 'auto') : `${provider}/${model}`,
    messages: messages.map(({ role, content, parts }) => ({ role, content: parts?.map(openaiPart) ?? content })),
    stream: true,
    stream_options: { include_usage: true },
    ...(maxOutputTokens !== undefined && { max_completion_tokens: maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(reasoning?.effort && { reasoning_effort: reasoning.effort }),
  };
  return `from openai import OpenAI
import os

client = OpenAI(base_url=${JSON.stringify(apiUrl('/v1'))}, api_key=os.environ["API_KEY"])
stream = client.chat.completions.create(**${pythonLiteral(openai)})
for chunk in stream:
    if chunk.choices:
        print(chunk.choices[0].delta.content or "", end="", flush=True)
`;
}

function openaiPart({ text, image }: NonNullable<NonNullable<ChatRequest['messages']>[number]['parts']>[number]) {
  if (!image) return { type: 'text', text };
  return { type: 'image_url', image_url: { url: `data:${image.mediaType};base64,${image.data}` } };
}

/** JSON is a Python literal except for three words, which occur outside its strings. */
function pythonLiteral(value: unknown): string {
  return JSON.stringify(value, null, 4).replace(
    /"(?:[^"\\]|\\.)*"|\b(true|false|null)\b/g,
    (all, word?: string) => (word === undefined ? all : { true: 'True', false: 'False', null: 'None' }[word]) ?? all,
  );
}

function indented(text: string, by: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`);
}

function shortened(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      name === 'data' && typeof each === 'string' && each.length > dataMax
        ? `${each.slice(0, 40)}... (${each.length} characters of base64)`
        : shortened(each),
    ]),
  );
}
