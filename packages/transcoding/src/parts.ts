// The transcoder's building blocks, for a server with its own lanes beside it. Not stable between versions.
export { checkJson, readBody } from './body.ts';
export { RunningCalls } from './context.ts';
export { carrierOf, FastifyCall } from './fastify-call.ts';
export { eventOf, eventStreamType, type Framing, keepAlive } from './framing.ts';
export { type Encoding, type Inflated, inflate, isEncoding, tooDense } from './inflate.ts';
export { defaultJsonBounds, findJsonFault, positionInBytes } from './json-bounds.ts';
export { createJsonCodecs, type JsonCodec, readJsonValue } from './json-codec.ts';
export { LinkedList, type Links } from './linked.ts';
export { Matcher } from './matcher.ts';
export { acceptsGzip, parseTimeoutMs } from './negotiation.ts';
export { longBytes, takeTurnsFrom } from './own-turn.ts';
export { Pieces, piecesMax, type Received } from './pieces.ts';
export { createPrintableChecks, type PrintableCheck } from './printable.ts';
export { bytesOfBase64 } from './scalars.ts';
export { sendStream } from './stream.ts';
