import type { DescMethod } from '@bufbuild/protobuf';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { FailureError } from '../../base/failure.ts';
import type { AdmittedCall, Arrival, Gate } from '../gate.ts';

/** One request of the facade on its way through the gate. */
export class OpenAiArrival implements Arrival {
  readonly protocol = 'openai';
  readonly deadline = undefined;
  readonly replyHeaders: Record<string, string> = {};
  /** Set once the gate let the request in. */
  call: AdmittedCall | undefined;
  readonly #request: FastifyRequest;
  readonly #reply: FastifyReply;
  readonly #gone = new AbortController();

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request;
    this.#reply = reply;
    reply.raw.once('close', this.#leave);
  }

  get peer(): string {
    return this.#request.ip;
  }
  get signal(): AbortSignal {
    return this.#gone.signal;
  }
  /** Whether the caller is gone. */
  get isGone(): boolean {
    return this.#reply.raw.destroyed || (this.#reply.raw.socket?.destroyed ?? false);
  }

  header(name: string): string | undefined {
    const value = this.#request.raw.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  setReplyHeader(name: string, value: string): void {
    this.replyHeaders[name] = value;
  }

  async admitted(gate: Gate, method: DescMethod): Promise<AdmittedCall> {
    this.call = await gate.admit(method, this);
    return this.call;
  }

  /** The reply is decided: the caller's leaving does not matter any more. */
  finish(): void {
    this.#reply.raw.off('close', this.#leave);
  }

  readonly #leave = (): void => this.#gone.abort(new FailureError({ kind: 'cancelled' }));
}
