import { parseArgs } from 'node:util';
import autocannon from 'autocannon';

export interface LoadResult {
  /** How many were answered. */
  requests: number;
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
  /** Stop after this many requests, however long they take. */
  requests?: number;
}

/** Sends the same POST repeatedly. Anything but a 2xx counts as an error. */
export async function load({ url, body, headers, connections, seconds, requests }: Load): Promise<LoadResult> {
  const result = await autocannon({
    url,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
    connections,
    ...(requests === undefined ? { duration: seconds } : { amount: requests }),
  });
  return {
    requests: result.requests.total,
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

/** The options that every benchmark has, plus some numeric ones. Prints the help and exits on request. */
export function benchOptions(
  help: string,
  defaults: { seconds: number; rounds: number },
  numbers: Record<string, { default: number; help: string }> = {},
) {
  const names = Object.keys(numbers);
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h' },
      json: { type: 'boolean' },
      seconds: { type: 'string', default: String(defaults.seconds) },
      rounds: { type: 'string', default: String(defaults.rounds) },
      ...Object.fromEntries(names.map((name) => [name, { type: 'string' as const }])),
    },
  });
  if (values.help) {
    const more = names.map(
      (name) => `\n  --${`${name} N`.padEnd(13)}${numbers[name]?.help} (default ${numbers[name]?.default})`,
    );
    console.log(
      `${help}\n\nOptions:\n  --seconds N   seconds for each figure in a round (default ${defaults.seconds})\n  --rounds N    rounds; medians are printed (default ${defaults.rounds})${more.join('')}\n  --json        the figures as JSON\n  -h, --help    this text`,
    );
    process.exit(0);
  }
  const given = values as Record<string, string | boolean | undefined>;
  return {
    json: values.json ?? false,
    seconds: Number(values.seconds),
    rounds: Number(values.rounds),
    more: Object.fromEntries(names.map((name) => [name, Number(given[name] ?? numbers[name]?.default)])),
  };
}

/** A progress line on the terminal that does not end up in piped output. */
export function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** Lines are written as in the service, to nowhere. */
export const quietLog = { dest: '/dev/null', sync: false, minLength: 4096, periodicFlush: 1_000 } as const;
