import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { type ApiFailure, callConsole } from '../api.ts';
import { t } from '../i18n/index.ts';
import { hasPasskeys } from '../passkeys/ask.ts';
import { sessionKey } from '../query.ts';
import { Async, Banner, Button, type Column, Dialog, Failure, Section, Table, Time, toast } from '../ui/index.ts';
import { AddPasskey } from './add-passkey.tsx';
import { sessionsKey } from './sessions.tsx';

interface PasskeyLine {
  id: string;
  name: string;
  /** Whether it may be on several of its owner's devices. */
  multiDevice: boolean;
  /** The management key that it belongs to. */
  keyId?: string;
  createdAt: string;
  usedAt?: string;
}

interface Passkeys {
  passkeys: PasskeyLine[];
  /** The only address where they work; null: there is none. */
  origin: string | null;
}

const listKey = ['console/passkeys'] as const;

interface PasskeysProps {
  help: string;
  /** The name of a management key; unset: the passkeys belong to an operator, not to keys. */
  nameOf?: (keyId: string) => string | undefined;
}

/** The passkeys that sign in here in place of a key, and a way to add and remove them. */
export function Passkeys({ help, nameOf }: PasskeysProps) {
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<PasskeyLine>();
  const passkeys = useQuery<Passkeys, ApiFailure>({
    queryKey: listKey,
    queryFn: () => callConsole('GET', '/passkeys'),
  });
  const changed = () => {
    // Whether there is a passkey to confirm with is part of the session.
    for (const queryKey of [listKey, sessionsKey, sessionKey]) void client.invalidateQueries({ queryKey });
  };
  const remove = useMutation<unknown, ApiFailure, PasskeyLine>({
    mutationFn: ({ id }) => callConsole('DELETE', `/passkeys/${id}`),
    onSuccess: (_, { name }) => {
      toast(t('passkeys.removed', { name }));
      setRemoving(undefined);
      changed();
    },
  });
  const works = hasPasskeys() && passkeys.data?.origin === location.origin;
  return (
    <Section
      title={t('passkeys.title')}
      actions={
        works && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            {t('passkeys.add')}
          </Button>
        )
      }
    >
      <p class="muted">{help}</p>
      <Async query={passkeys} lines={2}>
        {({ passkeys: rows, origin }) => (
          <>
            {!works && <Elsewhere origin={origin} />}
            <Table
              caption={t('passkeys.title')}
              columns={columns(nameOf, setRemoving)}
              rows={rows}
              rowKey={({ id }) => id}
              empty={<p class="empty">{t('passkeys.none')}</p>}
            />
          </>
        )}
      </Async>
      <AddPasskey
        open={adding}
        onClose={() => setAdding(false)}
        onAdded={(name) => {
          toast(t('passkeys.added', { name }));
          changed();
        }}
      />
      <Dialog
        title={t('passkeys.removeTitle', { name: removing?.name ?? '' })}
        open={removing !== undefined}
        onClose={() => {
          setRemoving(undefined);
          remove.reset();
        }}
        actions={
          <>
            <Button onClick={() => setRemoving(undefined)}>{t('common.cancel')}</Button>
            <Button kind="danger" busy={remove.isPending} onClick={() => removing && remove.mutate(removing)}>
              {t('passkeys.remove')}
            </Button>
          </>
        }
      >
        <p>{t('passkeys.removeHelp')}</p>
        {remove.error && <Failure failure={remove.error} />}
      </Dialog>
    </Section>
  );
}

/** Why none can be added here, and where they can. */
function Elsewhere({ origin }: { origin: string | null }) {
  if (origin === null) return <Banner title={t('passkeys.nowhere')} />;
  if (origin === location.origin) return <Banner title={t('passkeys.oldBrowser')} />;
  return (
    <Banner title={t('passkeys.elsewhere', { address: origin })}>
      <a href={`${origin}/console/`}>{t('common.openLink', { address: origin })}</a>
    </Banner>
  );
}

function columns(nameOf: PasskeysProps['nameOf'], remove: (passkey: PasskeyLine) => void): Column<PasskeyLine>[] {
  return [
    { id: 'name', title: t('passkeys.name'), phone: 'title', cell: ({ name }) => name },
    ...(nameOf
      ? [
          {
            id: 'key',
            title: t('passkeys.ofKey'),
            cell: ({ keyId = '' }: PasskeyLine) => nameOf(keyId) ?? <code>{keyId}</code>,
          },
        ]
      : []),
    {
      id: 'where',
      title: t('passkeys.where'),
      cell: ({ multiDevice }) => (multiDevice ? t('passkeys.manyDevices') : t('passkeys.oneDevice')),
    },
    { id: 'made', title: t('passkeys.made'), cell: ({ createdAt }) => <Time at={createdAt} /> },
    {
      id: 'used',
      title: t('passkeys.used'),
      cell: ({ usedAt }) => (usedAt ? <Time at={usedAt} /> : t('passkeys.never')),
    },
    {
      id: 'actions',
      title: t('passkeys.actions'),
      align: 'end',
      cell: (passkey) => (
        <Button kind="quiet" of={passkey.name} onClick={() => remove(passkey)}>
          {t('passkeys.remove')}
        </Button>
      ),
    },
  ];
}
