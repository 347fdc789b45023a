/**
 * Chat over gRPC with @grpc/grpc-js, the stock gRPC package of Node, and the generated messages.
 *
 *   BASE_URL=http://127.0.0.1:8080 API_KEY=ik_live_... node examples/chat-grpc.ts
 */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  ChatRequestSchema,
  type ChatResponse,
  ChatResponseSchema,
  ChatService,
} from '../src/gen/intelligence/chat/v1/chat_service_pb.ts';

const client = new Client(new URL(process.env.BASE_URL ?? 'http://127.0.0.1:8080').host, credentials.createInsecure());
const metadata = new Metadata();
metadata.set('authorization', `Bearer ${process.env.API_KEY}`);
// With this key a repeated call is answered again and not charged again.
metadata.set('idempotency-key', crypto.randomUUID());

const request = create(ChatRequestSchema, {
  routing: { mode: 'economy' },
  messages: [{ role: 'user', content: 'The shop opens at nine. When does the shop open?' }],
});

try {
  const reply = await chat();
  console.log(reply.message?.content);
  console.log('cost', reply.usage?.costUsd, 'USD; left', reply.balanceUsd, 'USD');
} catch (error) {
  const { code, details } = error as ServiceError;
  console.error(`gRPC code ${code}: ${details}`);
  process.exitCode = 1;
} finally {
  client.close();
}

function chat(): Promise<ChatResponse> {
  return new Promise((done, failed) =>
    client.makeUnaryRequest(
      `/${ChatService.typeName}/Chat`,
      (message) => Buffer.from(toBinary(ChatRequestSchema, message)),
      (bytes) => fromBinary(ChatResponseSchema, bytes),
      request,
      metadata,
      { deadline: Date.now() + 30_000 },
      (error, reply) => (reply ? done(reply) : failed(error)),
    ),
  );
}
