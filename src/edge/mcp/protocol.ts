import {
  createMcpHandler,
  type McpHttpHandler,
  ProtocolError,
  ProtocolErrorCode,
  Server,
} from '@modelcontextprotocol/server';

/** Answers the requests of one HTTP exchange. */
export interface Exchange {
  tools(): Promise<object[]>;
  /** Runs a tool with the message's arguments; undefined if there is no tool by that name. */
  call(name: string): Promise<ToolResult | undefined>;
}

/** A tool's answer: its reply as an object and the same in text, or what went wrong, for the model to read. */
export interface ToolResult {
  [key: string]: unknown;
  content: { type: 'text'; text: string }[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

/**
 * The Model Context Protocol over HTTP, as implemented by its own package: revision 2026-07-28, in which each request stands
 * alone, and those of 2025 without sessions. Nothing is kept between requests.
 */
export function createProtocol(options: { version: string; instructions: string }): {
  answer(request: Request, message: unknown, exchange: Exchange): Promise<Response>;
} {
  const handler: McpHttpHandler = createMcpHandler(({ authInfo }) => serverOf(authInfo?.extra?.exchange as Exchange));

  function serverOf(exchange: Exchange): Server {
    // The package's own tool list would process every schema again for each request.
    const server = new Server(
      { name: 'intelligence-api', title: 'Intelligence API', version: options.version },
      { capabilities: { tools: {} }, instructions: options.instructions },
    );
    server.setRequestHandler('tools/list', async () => ({ tools: (await exchange.tools()) as never[] }));
    server.setRequestHandler('tools/call', async ({ params }) => {
      const result = await exchange.call(params.name);
      if (!result)
        throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool "${params.name}": see tools/list.`);
      return result;
    });
    return server;
  }

  return {
    // The credential was already checked; the package merely passes the exchange along with a request.
    answer: (request, message, exchange) =>
      handler.fetch(request, {
        parsedBody: message,
        authInfo: { token: '', clientId: '', scopes: [], extra: { exchange } },
      }),
  };
}
