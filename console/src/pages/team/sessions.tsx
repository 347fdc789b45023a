import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { ListKeysResponseJson } from '../../../gen/intelligence/key/v1/key_service_pb';
import { type ApiFailure, callConsole } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { useAllRows } from '../../paging.ts';
import { signOut } from '../../session.tsx';
import { Async, Badge, Button, type Column, Failure, Section, Table, Time, toast } from '../../ui/index.ts';
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

const listKey = ['console/sessions'] as const;
const keysOf = ({ keys }: ListKeysResponseJson) => keys;

/** Where people are signed in, and a way to end it. */
export function Sessions() {
  const client = useQueryClient();
  const sessions = useQuery<{ sessions: SessionLine[] }, ApiFailure>({
    queryKey: listKey,
    queryFn: () => callConsole('GET', '/sessions'),
  });
  const keys = useAllRows('KeyService.ListKeys', {}, keysOf);
  const end = useMutation<unknown, ApiFailure, SessionLine>({
    mutationFn: ({ id, current }) => (current ? signOut() : callConsole('DELETE', `/sessions/${id}`)),
    onSuccess: () => {
      toast(t('team.ended'));
      void client.invalidateQueries({ queryKey: listKey });
    },
  });
  return (
    <Section title={t('team.sessions')}>
      <p class="muted">{t('team.sessionsHelp')}</p>
      {end.error && <Failure failure={end.error} />}
      <Async query={sessions} lines={3}>
        {({ sessions: rows }) => (
          <Table
            caption={t('team.sessions')}
            columns={columns(keys.data?.rows ?? [], (session) => end.mutate(session))}
            rows={rows}
            rowKey={({ id }) => id}
          />
        )}
      </Async>
    </Section>
  );
}

function columns(keys: readonly KeyJson[], end: (session: SessionLine) => void): Column<SessionLine>[] {
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
    {
      id: 'key',
      title: t('team.withKey'),
      cell: ({ keyId }) => keys.find((key) => key.keyId === keyId)?.displayName ?? <code>{keyId}</code>,
    },
    { id: 'since', title: t('team.since'), cell: ({ createdAt }) => <Time at={createdAt} /> },
    { id: 'seen', title: t('team.seen'), cell: ({ seenAt }) => <Time at={seenAt} /> },
    { id: 'until', title: t('team.until'), cell: ({ expiresAt }) => <Time at={expiresAt} /> },
    {
      id: 'end',
      title: t('team.actions'),
      align: 'end',
      cell: (session) => (
        <Button kind="quiet" onClick={() => end(session)}>
          {session.current ? t('common.signOut') : t('team.end')}
        </Button>
      ),
    },
  ];
}
