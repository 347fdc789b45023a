import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { type ApiFailure, callConsole } from '../api.ts';
import { t } from '../i18n/index.ts';
import { signOut } from '../session.tsx';
import { Async, Badge, Button, type Column, Failure, Section, Table, Time, timeText, toast } from '../ui/index.ts';
import { browserOf } from './browser.ts';

interface SessionLine {
  id: string;
  createdAt: string;
  seenAt: string;
  expiresAt: string;
  agent: string;
  current: boolean;
  keyId?: string;
}

export const sessionsKey = ['console/sessions'] as const;

interface SessionsProps {
  help: string;
  /** The name of a management key; unset: the sessions are an operator's. */
  nameOf?: (keyId: string) => string | undefined;
}

/** Where people are signed in, and a way to end it. */
export function Sessions({ help, nameOf }: SessionsProps) {
  const client = useQueryClient();
  const sessions = useQuery<{ sessions: SessionLine[] }, ApiFailure>({
    queryKey: sessionsKey,
    queryFn: () => callConsole('GET', '/sessions'),
  });
  const end = useMutation<unknown, ApiFailure, SessionLine>({
    mutationFn: ({ id, current }) => (current ? signOut() : callConsole('DELETE', `/sessions/${id}`)),
    onSuccess: () => {
      toast(t('team.ended'));
      void client.invalidateQueries({ queryKey: sessionsKey });
    },
  });
  return (
    <Section title={t('team.sessions')}>
      <p class="muted">{help}</p>
      {end.error && <Failure failure={end.error} />}
      <Async query={sessions} lines={3}>
        {({ sessions: rows }) => (
          <Table
            caption={t('team.sessions')}
            columns={columns(nameOf, (session) => end.mutate(session))}
            rows={rows}
            rowKey={({ id }) => id}
          />
        )}
      </Async>
    </Section>
  );
}

function columns(nameOf: SessionsProps['nameOf'], end: (session: SessionLine) => void): Column<SessionLine>[] {
  return [
    {
      id: 'where',
      title: t('team.where'),
      phone: 'title',
      cell: ({ agent, current }) => (
        <>
          <span title={agent}>{browserOf(agent) ?? t('team.unknownBrowser')}</span>{' '}
          {current && <Badge kind="info">{t('team.current')}</Badge>}
        </>
      ),
    },
    ...(nameOf
      ? [
          {
            id: 'key',
            title: t('team.withKey'),
            cell: ({ keyId = '' }: SessionLine) => nameOf(keyId) ?? <code>{keyId}</code>,
          },
        ]
      : []),
    { id: 'since', title: t('team.since'), cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: 'seen', title: t('team.seen'), cell: ({ seenAt }) => <Time at={seenAt} /> },
    { id: 'until', title: t('team.until'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: 'end',
      title: t('team.actions'),
      align: 'end',
      cell: (session) => (
        <Button
          kind="quiet"
          of={`${browserOf(session.agent) ?? t('team.unknownBrowser')}, ${timeText(new Date(session.createdAt), 'full')}`}
          onClick={() => end(session)}
        >
          {session.current ? t('common.signOut') : t('team.end')}
        </Button>
      ),
    },
  ];
}
