import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Timestamp } from '@bufbuild/protobuf/wkt';
import { unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import { present } from '../base/present.ts';
import type { UsageRowSchema } from '../gen/intelligence/wallet/v1/wallet_pb.ts';
import type { WalletService } from '../gen/intelligence/wallet/v1/wallet_service_pb.ts';
import type { Entry, MetadataFilter, Statements, TimeRange, UsageDimension, UsageRow } from '../wallet/index.ts';
import { accountOf, accountToRead } from './caller.ts';
import { type PrintedRow, printedInParts, printFile } from './export.ts';
import type { Handlers } from './handlers.ts';
import { milliseconds } from './mapping.ts';

/** The parts of WalletService that report usage and its cost. */
export function usageHandlers(
  statements: Statements,
): Pick<Handlers<typeof WalletService>, 'getUsage' | 'exportUsage' | 'exportEntries'> {
  return {
    getUsage: async (request, { caller }) => {
      const page = await statements.usage({ accountId: accountToRead(caller, request), ...usageOf(request) }, request);
      const { items, nextPageToken } = unwrap(page);
      return { rows: items.map(usageMessage), nextPageToken };
    },
    async *exportUsage(request, call) {
      const usage = usageOf(request);
      const rows = unwrap(await statements.allUsage({ accountId: accountOf(call.caller), ...usage }));
      const label = usage.groupByMetadata === undefined ? [] : ['metadataValue'];
      const columns = [...usage.groupBy.map((name) => columnOf[name]), ...label, ...sumColumns];
      yield* printFile({ call, name: 'usage', format: request.format, columns }, printedInParts(rows, printedRow));
    },
    async *exportEntries(request, call) {
      const wanted = present({ ...rangeOf(request), metadata: request.metadata });
      const entries = unwrap(await statements.entries(accountOf(call.caller), wanted));
      yield* printFile({ call, name: 'entries', format: request.format, columns: entryColumns }, printed(entries));
    },
  };
}

/** The contract's rules allow no other names here. */
function usageOf(request: SummedRequest) {
  return present({
    ...rangeOf(request),
    groupBy: request.groupBy as UsageDimension[],
    groupByMetadata: request.groupByMetadata || undefined,
    metadata: request.metadata,
    only: present({
      keyId: request.keyId || undefined,
      model: request.model || undefined,
      operation: request.operation || undefined,
    }),
  });
}

interface SummedRequest extends TimedRequest {
  groupBy: string[];
  groupByMetadata: string;
  keyId: string;
  model: string;
  operation: string;
  metadata?: MetadataFilter | undefined;
}

interface TimedRequest {
  startTime?: Timestamp | undefined;
  endTime?: Timestamp | undefined;
}

function rangeOf({ startTime, endTime }: TimedRequest): TimeRange {
  return present({ start: milliseconds(startTime), end: milliseconds(endTime) });
}

export function usageMessage({ cost, ...row }: UsageRow): MessageInitShape<typeof UsageRowSchema> {
  return { ...row, costUsd: formatUsd(cost) };
}

const columnOf: Record<UsageDimension, string> = {
  day: 'day',
  hour: 'hour',
  operation: 'operation',
  provider: 'provider',
  model: 'model',
  key: 'keyId',
  device: 'deviceId',
  subject: 'subject',
  provider_key: 'providerKeyId',
};

const sumColumns = [
  'charges',
  'inputTokens',
  'cachedInputTokens',
  'outputTokens',
  'reasoningTokens',
  'events',
  'costUsd',
  'cacheWriteInputTokens',
  'cacheWrite1hInputTokens',
  'audioInputTokens',
  'searchUnits',
];

function printedRow({ cost, ...row }: UsageRow): Record<string, string> {
  const members = Object.entries(row).map(([name, value]) => [name, String(value)]);
  return { ...Object.fromEntries(members), costUsd: formatUsd(cost) };
}

const entryColumns = [
  'entryId',
  'time',
  'kind',
  'amountUsd',
  'balanceAfterUsd',
  'chargeId',
  'topUpId',
  'adjustmentId',
  'metadata',
] as const;

async function* printed(batches: AsyncIterable<Entry[]>): AsyncIterable<PrintedRow[]> {
  for await (const entries of batches) yield entries.map(printedEntry);
}

function printedEntry({ amount, balanceAfter, time, ...entry }: Entry): PrintedRow {
  return {
    ...entry,
    amountUsd: formatUsd(amount),
    balanceAfterUsd: formatUsd(balanceAfter),
    time: time.toISOString(),
  };
}
