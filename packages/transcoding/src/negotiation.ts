/** The format of a stream. */
export type StreamFormat = 'sse' | 'ndjson';

/**
 * Whether the caller prefers a stream to a single JSON reply: a streaming type must have a higher quality than JSON, which
 * wildcards also match (RFC 9110, section 12.5.1). `undefined`: a single reply.
 */
export function preferredStream(accept: string | undefined): StreamFormat | undefined {
  if (accept === undefined || !mentionsStream(accept)) return undefined;
  const qualities = parseQualities(accept);
  const json = qualities.get('application/json') ?? qualities.get('application/*') ?? qualities.get('*/*') ?? 0;
  const sse = qualities.get('text/event-stream') ?? 0;
  const ndjson = qualities.get('application/x-ndjson') ?? 0;
  if (Math.max(sse, ndjson) <= json) return undefined;
  return sse >= ndjson ? 'sse' : 'ndjson';
}

/** The format for a path that only streams: SSE if requested, otherwise NDJSON. */
export function streamFormat(accept: string | undefined): StreamFormat {
  if (accept === undefined || !mentionsStream(accept)) return 'ndjson';
  const qualities = parseQualities(accept);
  const sse = qualities.get('text/event-stream') ?? 0;
  return sse > 0 && sse >= (qualities.get('application/x-ndjson') ?? 0) ? 'sse' : 'ndjson';
}

/** Whether the caller accepts gzip and does not prefer an uncompressed reply (RFC 9110, section 12.5.3). */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  if (acceptEncoding === undefined) return false;
  const qualities = parseQualities(acceptEncoding);
  const gzip = qualities.get('gzip') ?? qualities.get('x-gzip') ?? qualities.get('*') ?? 0;
  return gzip > 0 && gzip >= (qualities.get('identity') ?? 0);
}

/** Whether a body of this type is JSON in UTF-8. */
export function isJson(contentType: string): boolean {
  if (contentType === 'application/json') return true;
  const [type = '', ...parameters] = contentType.toLowerCase().split(';');
  const name = type.trim();
  if (name !== 'application/json' && !/^application\/[a-z0-9!#$&^_.-]+\+json$/.test(name)) return false;
  return parameters.every((parameter) => {
    const [key = '', value = ''] = parameter.split('=');
    return key.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
  });
}

/**
 * The milliseconds of a `Grpc-Timeout` (at most 8 digits and a unit, as gRPC over HTTP/2 defines it), rounded up;
 * undefined when it is malformed.
 */
export function parseTimeoutMs(header: string): number | undefined {
  const match = /^([0-9]{1,8})([HMSmun])$/.exec(header);
  const unit = match && unitMs[match[2] ?? ''];
  return match && unit ? Math.ceil(Number(match[1]) * unit) : undefined;
}

const unitMs: Record<string, number> = { H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 0.001, n: 0.000001 };

function mentionsStream(accept: string): boolean {
  return accept.includes('event-stream') || accept.includes('ndjson') || /[A-Z]/.test(accept);
}

// The best quality of each name in a list such as `a;q=0.5, b`. A malformed quality counts as none.
function parseQualities(header: string): Map<string, number> {
  const qualities = new Map<string, number>();
  for (const item of header.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';');
    let quality = 1;
    for (const parameter of parameters) {
      const match = /^\s*q\s*=\s*([01](?:\.[0-9]{0,3})?)\s*$/.exec(parameter);
      if (match) quality = Math.min(1, Number(match[1]));
      else if (/^\s*q\s*=/.test(parameter)) quality = 0;
    }
    const key = name.trim();
    qualities.set(key, Math.max(quality, qualities.get(key) ?? 0));
  }
  return qualities;
}
