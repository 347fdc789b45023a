/**
 * The official `openai` package, with this service's address and key. Tools and response_format work as usual.
 *
 *   BASE_URL=http://127.0.0.1:8080 API_KEY=ik_live_... node examples/openai-package.ts
 */
import OpenAI from 'openai';

const baseUrl = process.env.BASE_URL ?? 'http://127.0.0.1:8080';
const client = new OpenAI({ baseURL: `${baseUrl}/v1`, apiKey: process.env.API_KEY ?? '' });
const messages = [{ role: 'user' as const, content: 'The shop opens at nine. When does the shop open?' }];

for await (const model of client.models.list()) console.log('model', model.id);

// `auto` chooses the model; `auto:economy`, `auto:quality`, `auto:fast` say how; a model's id pins it.
const reply = await client.chat.completions.create({ model: 'auto:economy', messages });
console.log(reply.model, reply.choices[0]?.message.content, reply.usage?.total_tokens, 'tokens');

const stream = await client.chat.completions.create({ model: 'auto', messages, stream: true });
for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta.content ?? '');
console.log();
