import { readFileSync } from 'node:fs';
import { create, type DescMethod } from '@bufbuild/protobuf';
import { RestError } from '@intelligence-api/transcoding';
import {
  createJsonCodecs,
  FastifyCall,
  type JsonCodec,
  RunningCalls,
  sendStream,
} from '@intelligence-api/transcoding/parts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServedService } from '../../api/handlers.ts';
import { FailureError, invalid } from '../../base/failure.ts';
import { readProtoComments } from '../../base/proto-comments.ts';
import { ListPricesRequestSchema, type ListPricesResponse } from '../../gen/intelligence/workflow/v1/definition_pb.ts';
import { WorkflowService } from '../../gen/intelligence/workflow/v1/workflow_service_pb.ts';
import type { AdmittedCall } from '../admitted-call.ts';
import { brief } from '../brief.ts';
import { errorBody } from '../error-body.ts';
import type { Gate } from '../gate.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { readJson } from '../json-body.ts';
import { registryOf } from '../message-types.ts';
import { headersOf, type Refusal } from '../refusal.ts';
import { divideMessage } from './message.ts';
import { atWork, type McpAnswer, wholeOf, within } from './pace.ts';
import type { ToolResult } from './protocol.ts';
import { listedTool, type McpTool, mcpTools } from './tools.ts';

type HttpCall = FastifyCall<AdmittedCall>;

export interface McpOptions {
  gate: Gate;
  services: readonly ServedService[];
  pathPrefix: string;
  /** The service's public address, without a trailing slash. */
  issuer(): string;
  /** Ends the calls still running; its reason is a `FailureError`, which their callers receive. */
  shutdownSignal: AbortSignal;
  /** A tool that is silent for this long reports that it is working, to clients that accept an event stream. */
  keepAliveMs: number;
}

/** The largest message, after decompression. */
const messageBytes = 1024 * 1024;

const { listPrices } = WorkflowService.method;

/**
 * `POST /mcp`: workflows and pulse as Model Context Protocol tools (Streamable HTTP), for agents. Each tool is a method, with the
 * same gate, limits, flow and ledger, and is charged like it. Refusals point to `/.well-known/oauth-protected-resource/mcp` (RFC
 * 9728), which says where to get a credential.
 */
export function registerMcp(app: FastifyInstance, options: McpOptions): void {
  const { gate, services, pathPrefix, issuer, keepAliveMs } = options;
  if (!gate.serves(listPrices)) return;
  const path = `${pathPrefix}/mcp`;
  const running = new RunningCalls(options.shutdownSignal);
  const resource = () => `${issuer()}${path}`;
  const tools = mcpTools(gate.serves, readProtoComments(readFileSync(descriptors)));
  const json = jsonOf(services, tools);
  let loaded: ReturnType<typeof load> | undefined;

  app.get(`/.well-known/oauth-protected-resource${path}`, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=600')
      .header('access-control-allow-origin', '*')
      .send({
        resource: resource(),
        authorization_servers: [issuer()],
        bearer_methods_supported: ['header'],
        resource_name: 'Intelligence API',
        resource_documentation: `${issuer()}/docs`,
      }),
  );

  app.register(async (instance) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', (_request, _payload, parsed) => parsed(null, undefined));
    instance.post(path, (request, reply) => {
      const http: HttpCall = new FastifyCall(request, reply);
      running.add(http);
      return answer(http, request, reply)
        .catch((error: unknown) => refuse(error, http, reply))
        .finally(() => {
          http.finish();
          running.delete(http);
        })
        .then(() => reply);
    });
  });

  async function answer(http: HttpCall, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // The tool is only named in the body, but callers whose call would be refused must not get to send one.
    const call = await gate.admit(listPrices, new HttpIncomingCall('mcp', http));
    http.admitted = call;
    const { envelope, messageId, toolName, toolArguments } = divideMessage(
      await http.untilStopped(readJson(request.raw, messageBytes, call)),
    );
    const tool = tools.get(toolName ?? '');
    if (tool) gate.asUnary(call, tool.method);
    // Anything but a tool call gets the prices and pays nothing.
    const prices = tool ? [] : await pricesOf(call);
    loaded ??= load();
    const protocol = await loaded;
    const answering = protocol.answer(webRequest(http, resource()), envelope, {
      tools: async () => [...tools.values()].map((each) => listedTool(each, prices)),
      call: async (name) => (tool && tool.name === name ? run(tool, toolArguments, call) : undefined),
    });
    const whole = wholeOf(answering);
    const mayStream = tool !== undefined && (http.headers.accept ?? '').includes('text/event-stream');
    const early = await http.untilStopped(mayStream ? within(whole, keepAliveMs) : whole);
    if (!early) return stream(http, whole, messageId);
    // What the package answered on its own, because the message is invalid, ends the call, too.
    gate.abandon(call, new FailureError(invalid('body', 'is not a message of the protocol')));
    // The charge, stated in the headers, is only known by then.
    if (http.isGone) reply.hijack();
    else
      reply
        .code(early.status)
        .headers({ ...early.headers, ...http.replyHeaders })
        .send(early.body);
  }

  /** For slow tools: the charge is stated in the result only, as the headers have to be sent before it is known. */
  async function stream(http: HttpCall, whole: Promise<McpAnswer>, id: unknown): Promise<void> {
    const call = http.admitted as AdmittedCall;
    const failure = (error: unknown) => {
      const { refusal, data } = refused(error, call);
      return JSON.stringify({ jsonrpc: '2.0', id, error: { code: serverError, message: refusal.message, data } });
    };
    await sendStream({ ...atWork(whole, failure), call: http, heartbeatMs: keepAliveMs });
    gate.abandon(call, new FailureError({ kind: 'cancelled' }));
  }

  async function pricesOf(call: AdmittedCall): Promise<ListPricesResponse['prices']> {
    const { prices } = (await gate.unary(call, create(ListPricesRequestSchema))) as ListPricesResponse;
    return prices;
  }

  /** Faults in a tool's input, and the outcome of running it, are for the model to read. */
  async function run({ method }: McpTool, args: Record<string, unknown>, call: AdmittedCall): Promise<ToolResult> {
    const { read, print } = json.get(method) as JsonCodec;
    try {
      const text = print(await gate.unary(call, read(JSON.stringify(args))));
      return { content: [{ type: 'text', text }], structuredContent: JSON.parse(text) };
    } catch (thrown) {
      const error = asFailure(thrown);
      gate.abandon(call, error);
      const refusal = gate.refuse(error, call.requestId);
      return { content: [{ type: 'text', text: errorBody(refusal, call.requestId) }], isError: true };
    }
  }

  function refuse(thrown: unknown, http: HttpCall, reply: FastifyReply): void {
    const { refusal, data } = refused(thrown, http.admitted);
    if (reply.sent) return;
    if (http.isGone) {
      reply.hijack();
      return;
    }
    reply.headers({ ...http.replyHeaders, ...headersOf(refusal), ...challenge(refusal) });
    const isNoJson = refusal.violations?.[0]?.description.startsWith('is not JSON') === true;
    refuseAs(reply, refusal, { code: isNoJson ? parseError : serverError, data });
  }

  /** Ends the call; returns the caller's error, and the same error in the format of our other APIs. */
  function refused(thrown: unknown, admitted: AdmittedCall | undefined): { refusal: Refusal; data: object } {
    const error = asFailure(thrown);
    if (admitted) gate.abandon(admitted, error);
    const refusal = gate.refuse(error, admitted?.requestId);
    const body = JSON.parse(errorBody(refusal, admitted?.requestId)) as { error: object };
    return { refusal, data: body.error };
  }

  /** RFC 9728, section 5.1: a challenge says where to read about getting a credential. */
  function challenge({ headers }: Refusal): Record<string, string> {
    const scheme = headers?.['www-authenticate'];
    if (scheme === undefined) return {};
    const metadata = `${issuer()}/.well-known/oauth-protected-resource${path}`;
    return { 'www-authenticate': `${scheme}${scheme === 'Bearer' ? ' ' : ', '}resource_metadata="${metadata}"` };
  }
}

const descriptors = new URL('../../gen/descriptors.binpb', import.meta.url);

/** JSON-RPC's code for invalid JSON, and one from its range for server-defined errors. */
const parseError = -32700;
const serverError = -32000;

/** A refusal before there is a protocol request to answer. */
function refuseAs(
  reply: FastifyReply,
  { status, message }: Refusal,
  { code, data }: { code: number; data: object },
): FastifyReply {
  return reply
    .code(status)
    .type('application/json')
    .send(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message, data } }));
}

/** The package is large; a service whose tools nobody uses does not load it. */
async function load() {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));
  const { createProtocol } = await import('./protocol.ts');
  return createProtocol({
    version,
    instructions:
      'Tools that judge listings, texts, forms, decisions and businesses, draft documents, and count events. Calls are paid from the prepaid credit of the account whose key is sent; each tool says what a call costs, and each reply what was charged.',
  });
}

function jsonOf(services: readonly ServedService[], tools: Map<string, McpTool>): Map<DescMethod, JsonCodec> {
  // The model wrote arguments rather than text, so faults are reported by argument name only.
  const codecOf = createJsonCodecs(registryOf(services.map(({ service }) => service)), { tellsPlaces: false });
  return new Map([...tools.values()].map(({ method }) => [method, codecOf(method)]));
}

function webRequest(http: HttpCall, url: string): Request {
  const headers = new Headers();
  // Of its own headers, the package repeats what it does not know.
  for (const [name, value] of Object.entries(http.headers))
    if (typeof value === 'string' && !name.startsWith(':'))
      headers.set(name, name.startsWith('mcp-') ? brief(value) : value);
  // Callers that accept anything also accept both of these.
  if ((headers.get('accept') ?? '*/*').includes('*/*')) headers.set('accept', 'application/json, text/event-stream');
  return new Request(url, { method: 'POST', headers, signal: http.signal });
}

function asFailure(thrown: unknown): unknown {
  return thrown instanceof RestError ? new FailureError(thrown.problem) : thrown;
}
