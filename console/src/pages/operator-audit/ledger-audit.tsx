import { useState } from 'preact/hooks';
import type { LedgerAuditJson, ViolationJson } from '../../../gen/intelligence/operations/v1/operations_pb';
import { t } from '../../i18n/index.ts';
import { ReasonField } from '../../operator/reason-field.tsx';
import { useWrite } from '../../operator/use-write.ts';
import { WriteFailure } from '../../operator/write-failure.tsx';
import { useRpc } from '../../query.ts';
import { Async, Banner, Button, type Column, Section, Table, timeText } from '../../ui/index.ts';

const everyMs = 2_000;

/** The last audit of the ledger, and a button that runs another. */
export function LedgerAudit() {
  const [reason, setReason] = useState('');
  const [running, setRunning] = useState(false);
  const { send, busy, failure } = useWrite('OperationsService.RunAudit');
  const last = useRpc('OperationsService.GetAudit', { auditId: 'last' }, { refetchInterval: running && everyMs });
  const isRunning = last.data?.audit?.state === 'running';
  if (isRunning !== running) setRunning(isRunning);

  async function run(): Promise<void> {
    if (await send({ reason })) setReason('');
  }

  return (
    <Section title={t('operator-audit.ledger')}>
      <p class="muted">{t('operator-audit.ledgerHelp')}</p>
      <LastAudit query={last} />
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        <ReasonField value={reason} onValue={setReason} />
        <WriteFailure failure={failure} again={() => void run()} />
        <p>
          <Button type="submit" busy={busy} disabled={reason.trim() === '' || isRunning}>
            {t('operator-audit.run')}
          </Button>
        </p>
      </form>
    </Section>
  );
}

function LastAudit({ query }: { query: ReturnType<typeof useRpc<'OperationsService.GetAudit'>> }) {
  return (
    <Async query={query} lines={2}>
      {({ audit }) => (audit ? <Audited audit={audit} /> : <p class="empty">{t('operator-audit.never')}</p>)}
    </Async>
  );
}

function Audited({ audit }: { audit: LedgerAuditJson }) {
  const { state, actor = '', rules = 0, rulesDone = 0, violationCount = 0, violations = [] } = audit;
  const time = timeText(new Date(audit.endTime ?? audit.startTime ?? 0), 'full');
  if (state === 'running')
    return (
      <Banner title={t('operator-audit.running', { done: rulesDone, rules })}>
        <progress value={rulesDone} max={rules} aria-label={t('operator-audit.ledger')} />
      </Banner>
    );
  if (state === 'failed')
    return <Banner kind="warning" title={t('operator-audit.failed', { time, done: rulesDone, rules })} />;
  if (violationCount === 0) return <Banner kind="good" title={t('operator-audit.sound', { time, actor, rules })} />;
  return (
    <>
      <Banner kind="danger" title={t('operator-audit.broken', { count: violationCount, time })} />
      <Table
        caption={t('operator-audit.violations')}
        columns={violationColumns()}
        rows={violations}
        rowKey={({ rule, subject, detail }) => `${rule} ${subject} ${detail}`}
      />
    </>
  );
}

function violationColumns(): Column<ViolationJson>[] {
  return [
    { id: 'rule', title: t('operator-audit.rule'), phone: 'title', cell: ({ rule }) => rule },
    { id: 'subject', title: t('operator-audit.subject'), cell: ({ subject }) => <code>{subject}</code> },
    { id: 'detail', title: t('operator-audit.detail'), cell: ({ detail }) => detail },
  ];
}
