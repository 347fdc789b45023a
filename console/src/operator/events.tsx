import { Link } from 'wouter-preact';
import type { EventJson } from '../../gen/intelligence/audit/v1/audit_pb';
import { findText, listText, loadTexts, t } from '../i18n/index.ts';
import { useRowList } from '../row-list.ts';
import { Async, type Column, More, Table, Time } from '../ui/index.ts';

await loadTexts('operator');

interface EventsProps {
  accountId?: string;
  actor?: string;
  action?: string;
}

/** Who did what, newest first. */
export function Events(filter: EventsProps) {
  const list = useRowList('AuditService.ListEvents', filter, ({ events }) => events);
  return (
    <Async query={list.query} lines={6} isEmpty={(rows) => rows.length === 0}>
      {(rows) => (
        <>
          <Table
            caption={t('operator.events')}
            columns={columns(filter.accountId === undefined)}
            rows={rows}
            rowKey={({ eventId }) => eventId ?? ''}
          />
          <More list={list} />
        </>
      )}
    </Async>
  );
}

/** What was done, in words; the API's name if there are none. */
export function actionText(action: string): string {
  return findText('operator', `action-${action}`) ?? action;
}

function columns(withAccount: boolean): Column<EventJson>[] {
  return [
    { id: 'what', title: t('operator.what'), phone: 'title', cell: ({ action = '' }) => actionText(action) },
    { id: 'time', title: t('operator.time'), cell: ({ time }) => <Time at={time} /> },
    {
      id: 'who',
      title: t('operator.who'),
      cell: ({ actor = '' }) => (actor.startsWith('key_') ? <code>{actor}</code> : actor),
    },
    {
      id: 'details',
      title: t('operator.details'),
      cell: (event) => <Details event={event} withAccount={withAccount} />,
    },
    { id: 'why', title: t('operator.reason'), cell: ({ reason }) => reason || <span class="muted">–</span> },
    {
      id: 'from',
      title: t('operator.from'),
      phone: 'hidden',
      cell: ({ address, requestId }) => <span title={t('common.requestId', { id: requestId ?? '' })}>{address}</span>,
    },
  ];
}

interface DetailsProps {
  event: EventJson;
  withAccount: boolean;
}

function Details({ event: { target, accountId, details = {} }, withAccount }: DetailsProps) {
  const told = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  const account = withAccount ? accountId : undefined;
  const named = target === accountId ? undefined : target;
  if (!account && !named && told.length === 0) return <span class="muted">–</span>;
  return (
    <div class="lines">
      {account && (
        <Link href={`/accounts/${account}`}>
          <code>{account}</code>
        </Link>
      )}
      {named && <code>{named}</code>}
      {told.length > 0 && <span class="muted small">{listText(told)}</span>}
    </div>
  );
}
