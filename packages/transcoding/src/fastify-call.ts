import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { ServerHttp2Stream } from 'node:http2';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { readBody } from './body.ts';
import { Call, type CallContext, type Head, type StreamSink } from './context.ts';
import type { Received } from './pieces.ts';
import { TurnWriter } from './turn-writer.ts';

/** What is known about a request that Fastify received. */
export interface RestContext extends CallContext {
  /** Node's request object. */
  readonly raw: IncomingMessage;
  readonly headers: IncomingHttpHeaders;
  /** The id that Fastify gave the request (`genReqId`). */
  readonly requestId: string;
  readonly remoteAddress: string;
  /** Node's reply object: it is closed once the reply has been sent, or its connection is gone. */
  readonly carrier: ServerResponse | ServerHttp2Stream;
}

/** The object that carries a reply. Over HTTP/2, Node's response does not report being closed; its stream does. */
export function carrierOf(raw: ServerResponse): ServerResponse | ServerHttp2Stream {
  return (raw as { stream?: ServerHttp2Stream }).stream ?? raw;
}

/** A call that Fastify received. Its reply bypasses Fastify, whose hook pipeline copies every header three times. */
export class FastifyCall<Admitted = unknown> extends Call<Admitted> implements RestContext {
  private readonly request: FastifyRequest;
  private readonly reply: FastifyReply;

  constructor(request: FastifyRequest, reply: FastifyReply) {
    super();
    this.request = request;
    this.reply = reply;
  }

  get raw(): IncomingMessage {
    return this.request.raw;
  }

  get carrier(): ServerResponse | ServerHttp2Stream {
    return carrierOf(this.reply.raw);
  }

  get httpMethod(): string {
    return this.request.method;
  }

  get url(): string {
    return this.request.originalUrl;
  }

  get headers(): IncomingHttpHeaders {
    return this.request.raw.headers;
  }

  get requestId(): string {
    return this.request.id;
  }

  get remoteAddress(): string {
    return this.request.ip;
  }

  get isGone(): boolean {
    const { raw } = this.reply;
    return raw.destroyed || raw.closed || (raw.socket?.destroyed ?? false);
  }

  headSoFar(): Head {
    return this.reply.getHeaders() as Head;
  }

  readBody(bytesMax: number, received?: Received): Promise<Buffer | undefined> {
    return readBody(this.request.raw, bytesMax, received);
  }

  readPieces(): AsyncIterator<Uint8Array> {
    return this.request.raw.iterator({ destroyOnReturn: false });
  }

  refuseRest(): void {
    if (this.request.raw.httpVersionMajor === 1) this.replyHeaders.connection = 'close';
  }

  write(status: number, head: Head, body: string | Uint8Array): void {
    const { raw } = this.reply;
    this.reply.hijack();
    if (status !== 204) head['content-length'] = Buffer.byteLength(body);
    raw.writeHead(status, head as OutgoingHttpHeaders);
    // Over HTTP/2, Node would try to write it and end the stream with an error.
    raw.end(this.request.method === 'HEAD' ? undefined : body);
  }

  openStream(head: Head): StreamSink {
    const { raw } = this.reply;
    // From here on, the raw reply is ours.
    this.reply.hijack();
    raw.writeHead(200, head as OutgoingHttpHeaders);
    return new NodeSink(raw);
  }

  drop(): void {
    this.reply.hijack();
  }

  destroy(): void {
    this.reply.raw.destroy();
  }

  protected onGone(listener: () => void): void {
    this.reply.raw.once('close', listener);
  }

  protected offGone(listener: () => void): void {
    this.reply.raw.off('close', listener);
  }
}

class NodeSink implements StreamSink {
  private readonly raw: ServerResponse;
  private readonly text: TurnWriter;

  constructor(raw: ServerResponse) {
    this.raw = raw;
    this.text = new TurnWriter(raw);
  }

  write(piece: string | Uint8Array): boolean {
    return typeof piece === 'string' ? this.text.write(piece) : this.raw.write(piece);
  }

  drained(): Promise<void> {
    return new Promise((resolve) => this.raw.once('drain', resolve));
  }

  flushHead(): void {
    this.raw.flushHeaders?.();
  }

  beat(text: string): void {
    if (!this.raw.writableNeedDrain && !this.raw.writableEnded) this.raw.write(text);
  }

  end(text?: string): void {
    this.text.end(text);
  }

  destroy(): void {
    this.raw.destroy();
  }
}
