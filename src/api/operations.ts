import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { AuditEvents } from '../audit-events/index.ts';
import { FailureError } from '../base/failure.ts';
import { isId } from '../base/ids.ts';
import { present } from '../base/present.ts';
import type { Catalog, PriceVersion } from '../catalog/index.ts';
import type { CircuitBreaker } from '../chat/index.ts';
import type { Database } from '../db/index.ts';
import type { LedgerAuditSchema, PriceBookVersionSchema } from '../gen/intelligence/operations/v1/operations_pb.ts';
import { OperationsService } from '../gen/intelligence/operations/v1/operations_service_pb.ts';
import { type AuditRun, type AuditRuns, type RunningLedger, readLedgerHealth } from '../wallet/index.ts';
import { readWebhookBacklog } from '../webhooks/index.ts';
import { eventOf } from './audit.ts';
import { type ServedService, serve } from './handlers.ts';

interface OperationsRooms {
  db: Database;
  ledger: RunningLedger;
  breaker: Pick<CircuitBreaker, 'circuits'>;
  catalog: Catalog;
  auditRuns: AuditRuns;
  auditEvents: AuditEvents;
  /** What prevents the node from serving; undefined if nothing does. */
  readiness: { problem(): string | undefined };
}

/** A delivery this late means that nothing is delivering. */
const lateMs = 300_000;
const versionsMax = 100;
const itemsMax = 100;

/** OperationsService: the service's state, and whether its books are sound. */
export function operationsService(rooms: OperationsRooms): ServedService {
  const { db, ledger, breaker, catalog, auditRuns, auditEvents, readiness } = rooms;
  let counted: Partial<Counts> = {};
  return serve(OperationsService, {
    getHealth: async () => {
      const problem = readiness.problem();
      // If the database is down, the caller still gets what the node knows.
      if (problem === undefined) counted = await countRows(db);
      const health = {
        ...counted,
        ready: problem === undefined,
        problem: problem ?? '',
        ledgerUp: ledger.committer.up,
        waitingOperations: ledger.committer.waiting,
        circuits: breaker.circuits().map(({ route, state }) => ({ route, state })),
        priceVersion: catalog.version,
      };
      return { health };
    },
    runAudit: async ({ reason }, call) => {
      const { run, started } = await auditRuns.start(call.caller.name, (tx, target) =>
        auditEvents.append(tx, eventOf(call, { action: 'ledger.audit', target, reason })),
      );
      return { audit: auditMessage(run), started };
    },
    getAudit: async ({ auditId }) => {
      if (auditId === 'last') {
        const last = await auditRuns.find(undefined);
        return last ? { audit: auditMessage(last) } : {};
      }
      const run = isId('lau', auditId) ? await auditRuns.find(auditId) : undefined;
      if (!run) throw new FailureError({ kind: 'not_found', resource: 'audit' });
      return { audit: auditMessage(run) };
    },
    listPriceVersions: async () => {
      const byVersion = Map.groupBy(await catalog.prices(), ({ version }) => version);
      const newest = [...byVersion].sort(([one], [other]) => other - one).slice(0, versionsMax);
      return { versions: newest.map(([version, prices]) => versionMessage(version, prices)) };
    },
  });
}

type Counts = Awaited<ReturnType<typeof countRows>>;

/** What the database says about all nodes. */
async function countRows(db: Database) {
  const countedTime = timestampFromDate(new Date());
  const [books, webhooks] = await Promise.all([readLedgerHealth(db), readWebhookBacklog(db, lateMs)]);
  return { ...books, webhookBacklog: webhooks.waiting, webhookOverdue: webhooks.overdue, countedTime };
}

function auditMessage(run: AuditRun): MessageInitShape<typeof LedgerAuditSchema> {
  const { auditId, state, actor, rules, rulesDone, violationCount } = run;
  return {
    ...{ auditId, state, actor, rules, rulesDone, violationCount },
    startTime: timestampFromDate(run.startedAt),
    ...present({ endTime: run.endedAt && timestampFromDate(run.endedAt) }),
    violations: run.violations.map(({ invariant, subject, detail }) => ({ rule: invariant, subject, detail })),
  };
}

function versionMessage(
  version: number,
  prices: readonly PriceVersion[],
): MessageInitShape<typeof PriceBookVersionSchema> {
  return {
    version,
    effectiveTime: timestampFromMs(Math.min(...prices.map(({ effectiveAt }) => effectiveAt))),
    prices: prices.length,
    items: [...new Set(prices.map(({ item }) => item))].sort().slice(0, itemsMax),
  };
}
