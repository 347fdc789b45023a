import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

export interface LoadResult {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  errors: number;
}

export interface Load {
  url: string;
  body: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

/** Sends the same POST over and over. Anything but a 2xx counts as an error. */
export async function load({ url, body, headers, connections, seconds }: Load): Promise<LoadResult> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    connections,
    duration: seconds,
  });
  return {
    requestsPerSecond: result.requests.average,
    p50Ms: result.latency.p50,
    p99Ms: result.latency.p99,
    errors: result.errors + result.non2xx,
  };
}

/** The middle value. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/** Options that every benchmark has. Prints the help and ends when it is asked for. */
export function benchOptions(help: string, defaults: { seconds: number; rounds: number }) {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      json: { type: 'boolean' },
      seconds: { type: 'string', default: String(defaults.seconds) },
      rounds: { type: 'string', default: String(defaults.rounds) },
    },
  });
  if (values.help) {
    console.log(
      `${help}\n\nOptions:\n  --seconds N   seconds for each figure in a round (default ${defaults.seconds})\n  --rounds N    rounds; medians are printed (default ${defaults.rounds})\n  --json        the figures as JSON\n  -h, --help    this text`,
    );
    process.exit(0);
  }
  return { json: values.json ?? false, seconds: Number(values.seconds), rounds: Number(values.rounds) };
}

/** A line of progress on the terminal that does not end up in piped output. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}
