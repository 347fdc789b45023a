/**
 * Chat with Connect: one reply, and one that streams. Errors carry their reason as data.
 *
 *   BASE_URL=http://127.0.0.1:8080 API_KEY=ik_live_... node examples/chat-connect.ts
 *
 * In a browser, use createConnectTransport of @connectrpc/connect-web and an access token instead of the key.
 */
import { ConnectError, createClient } from '@connectrpc/connect';
import { createConnectTransport } from '@connectrpc/connect-node';
import { ErrorInfoSchema } from '../src/gen/google/rpc/error_details_pb.ts';
import { ChatService } from '../src/gen/intelligence/chat/v1/chat_service_pb.ts';

const baseUrl = process.env.BASE_URL ?? 'http://127.0.0.1:8080';
const chat = createClient(ChatService, createConnectTransport({ baseUrl, httpVersion: '2' }));
const options = { headers: { authorization: `Bearer ${process.env.API_KEY}` }, timeoutMs: 30_000 };
const messages = [{ role: 'user', content: 'The shop opens at nine. When does the shop open?' }];

const { message, usage } = await chat.chat({ messages }, options);
console.log(message?.content, `(${usage?.costUsd} USD)`);

for await (const { event } of chat.streamChat({ messages }, options)) {
  if (event.case === 'content') process.stdout.write(event.value);
  if (event.case === 'end') console.log(`\nended: ${event.value.finishReason}, ${event.value.usage?.costUsd} USD`);
}

try {
  await chat.chat({ messages: [] }, options);
} catch (thrown) {
  const error = ConnectError.from(thrown);
  console.log('refused:', error.findDetails(ErrorInfoSchema)[0]?.reason, error.rawMessage);
}
