import { Link } from 'wouter-preact';
import type { EventJson } from '../../gen/intelligence/audit/v1/audit_pb';
import { findText, t } from '../i18n/index.ts';
import { useRowList } from '../paging.ts';
import { Async, type Column, More, Table, Time } from '../ui/index.ts';

interface EventsProps {
  accountId?: string;
  actor?: string;
  action?: string;
}

/** Who did what, the newest first. */
export function Events(filter: EventsProps) {
  const list = useRowList('AuditService.ListEvents', filter, ({ events }) => events);
  return (
    <Async query={list.query} lines={6} isEmpty={(rows) => rows.length === 0}>
      {(rows) => (
        <>
          <Table
            caption={t('common.events')}
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

/** What was done, in words; as the API names it where there are none. */
export function actionText(action: string): string {
  return findText('common', `action-${action}`) ?? action;
}

function columns(withAccount: boolean): Column<EventJson>[] {
  return [
    { id: 'what', title: t('common.eventWhat'), phone: 'title', cell: ({ action = '' }) => actionText(action) },
    { id: 'time', title: t('common.eventTime'), cell: ({ time }) => <Time at={time} /> },
    {
      id: 'who',
      title: t('common.eventWho'),
      cell: ({ actor = '' }) => (actor.startsWith('key_') ? <code>{actor}</code> : actor),
    },
    ...(withAccount
      ? [
          {
            id: 'account',
            title: t('common.account'),
            cell: ({ accountId }: EventJson) =>
              accountId ? (
                <Link href={`/accounts/${accountId}`}>
                  <code>{accountId}</code>
                </Link>
              ) : (
                <span class="muted">–</span>
              ),
          },
        ]
      : []),
    { id: 'details', title: t('common.eventDetails'), cell: (event) => <Details {...event} /> },
    { id: 'why', title: t('common.reason'), cell: ({ reason }) => reason || <span class="muted">–</span> },
    {
      id: 'from',
      title: t('common.eventFrom'),
      phone: 'hidden',
      cell: ({ address, requestId }) => <span title={t('common.requestId', { id: requestId ?? '' })}>{address}</span>,
    },
  ];
}

function Details({ target, accountId, details = {} }: EventJson) {
  const told = Object.entries(details).map(([name, value]) => `${name}: ${value}`);
  return (
    <>
      {target !== accountId && <code>{target}</code>}
      {told.length > 0 && <span class="muted small"> {told.join(', ')}</span>}
    </>
  );
}
