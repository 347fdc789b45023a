import { create, createRegistry, fromBinary, toBinary } from '@bufbuild/protobuf';
import { fastifyConnectPlugin } from '@connectrpc/connect-fastify';
import {
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServerWritableStream,
  type sendUnaryData,
} from '@grpc/grpc-js';
import Fastify from 'fastify';
import {
  type CountRequest,
  CountRequestSchema,
  type CountResponse,
  CountResponseSchema,
  GateService,
  type SayRequest,
  SayRequestSchema,
  type SayResponse,
  SayResponseSchema,
} from '../gen/intelligence/test/v1/gate_pb.ts';
import { goodToken, startGateServer } from '../support/gate-server.ts';
import { loadHttp2 } from './http2-load.ts';
import { type LoadResult, load } from './support.ts';

/** One server under one load. */
export interface Subject {
  name: string;
  /** Messages per answer; figures are per message. */
  messages: number;
  start(): Promise<string>;
  load(url: string, seconds: number): Promise<LoadResult>;
}

const said = { text: 'the quick brown fox jumps over the lazy dog', number: 7, tags: ['a', 'b'] };
const json = JSON.stringify(said);
/** Messages per stream. */
const streamed = 1_000;

const startGate = async () => (await startGateServer({ logged: false })).url;

export const subjects = {
  bare: {
    name: 'bare Fastify route',
    messages: 1,
    start: async () => {
      const app = Fastify();
      app.post('/say', async (request) => request.body);
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
    load: http1('/say'),
  },
  rest: { name: 'REST through the gate', messages: 1, start: startGate, load: http1('/gate/say', goodToken) },
  connect: {
    name: 'Connect JSON, no gate',
    messages: 1,
    start: async () => {
      const app = Fastify();
      await app.register(fastifyConnectPlugin, {
        jsonOptions: { registry: createRegistry() },
        routes: (router) => {
          router.service(GateService, { say: async ({ text, number, tags }) => ({ text, number, tags }) });
        },
      });
      return app.listen({ port: 0, host: '127.0.0.1' });
    },
    load: http1('/intelligence.test.v1.GateService/Say'),
  },
  restHttp2: {
    name: 'REST through the gate, HTTP/2',
    messages: 1,
    start: startGate,
    load: http2('/gate/say', 'application/json', Buffer.from(json), Buffer.byteLength(json), 16),
  },
  grpc: { name: 'gRPC through the gate', messages: 1, start: startGate, load: grpcUnary() },
  grpcJs: { name: 'gRPC by grpc-js, no gate', messages: 1, start: startGrpcJs, load: grpcUnary() },
  grpcStream: { name: 'gRPC stream through the gate', messages: streamed, start: startGate, load: grpcStream() },
  grpcJsStream: { name: 'gRPC stream by grpc-js', messages: streamed, start: startGrpcJs, load: grpcStream() },
} satisfies Record<string, Subject>;

function http1(path: string, authorization?: string): Subject['load'] {
  const headers: Record<string, string> = authorization === undefined ? {} : { authorization };
  return (url, seconds) => load({ url: `${url}${path}`, body: json, headers, connections: 64, seconds });
}

/** As many concurrent requests as over HTTP/1.1: one backend sends its requests over few connections. */
function http2(path: string, contentType: string, body: Buffer, answerBytes: number, streams: number): Subject['load'] {
  const headers = { 'content-type': contentType, te: 'trailers', authorization: goodToken };
  return (url, seconds) => loadHttp2({ url, path, headers, body, answerBytes, connections: 4, streams, seconds });
}

function grpcUnary(): Subject['load'] {
  const body = framed(toBinary(SayRequestSchema, create(SayRequestSchema, said)));
  const answer = framed(toBinary(SayResponseSchema, create(SayResponseSchema, said)));
  return http2('/intelligence.test.v1.GateService/Say', 'application/grpc', body, answer.length, 16);
}

function grpcStream(): Subject['load'] {
  const body = framed(toBinary(CountRequestSchema, create(CountRequestSchema, { to: streamed })));
  let answerBytes = 0;
  for (let number = 1; number <= streamed; number += 1)
    answerBytes += framed(toBinary(CountResponseSchema, create(CountResponseSchema, { number }))).length;
  return http2('/intelligence.test.v1.GateService/Count', 'application/grpc', body, answerBytes, 4);
}

function framed(message: Uint8Array): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The same two methods in the official package, with nothing around them. */
async function startGrpcJs(): Promise<string> {
  const server = new Server();
  server.addService(
    {
      say: {
        path: '/intelligence.test.v1.GateService/Say',
        requestStream: false,
        responseStream: false,
        requestSerialize: (message: SayRequest) => Buffer.from(toBinary(SayRequestSchema, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(SayRequestSchema, bytes),
        responseSerialize: (message: SayResponse) => Buffer.from(toBinary(SayResponseSchema, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(SayResponseSchema, bytes),
      },
      count: {
        path: '/intelligence.test.v1.GateService/Count',
        requestStream: false,
        responseStream: true,
        requestSerialize: (message: CountRequest) => Buffer.from(toBinary(CountRequestSchema, message)),
        requestDeserialize: (bytes: Buffer) => fromBinary(CountRequestSchema, bytes),
        responseSerialize: (message: CountResponse) => Buffer.from(toBinary(CountResponseSchema, message)),
        responseDeserialize: (bytes: Buffer) => fromBinary(CountResponseSchema, bytes),
      },
    },
    {
      say: ({ request }: ServerUnaryCall<SayRequest, SayResponse>, reply: sendUnaryData<SayResponse>) => {
        const { text, number, tags } = request;
        reply(null, create(SayResponseSchema, { text, number, tags }));
      },
      count: (call: ServerWritableStream<CountRequest, CountResponse>) => {
        for (let number = 1; number <= call.request.to; number += 1)
          call.write(create(CountResponseSchema, { number }));
        call.end();
      },
    },
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return `http://127.0.0.1:${port}`;
}
