import { useState } from 'preact/hooks';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { ListKeysResponseJson } from '../../../gen/intelligence/key/v1/key_service_pb';
import { RevokeDialog } from '../../credentials/revoke-dialog.tsx';
import { RotateDialog } from '../../credentials/rotate-dialog.tsx';
import { t } from '../../i18n/index.ts';
import { useAllRows } from '../../paging.ts';
import { useSession } from '../../session.tsx';
import { Async, Badge, Button, type Column, Section, Table, Time } from '../../ui/index.ts';
import { AddPerson } from './add-person.tsx';

const managementOf = ({ keys = [] }: ListKeysResponseJson) =>
  keys.filter(({ kind, state }) => kind === 'management' && state === 'active');

type Step = { what: 'add' } | { what: 'rotate' | 'revoke'; key: KeyJson };

/** The keys to the whole account, one for each person. */
export function ManagementKeys() {
  const { keyId: own } = useSession();
  const keys = useAllRows('KeyService.ListKeys', {}, managementOf);
  const [step, setStep] = useState<Step>();
  const close = () => setStep(undefined);
  const of = (what: Step['what']) => (step?.what === what && 'key' in step ? step.key : undefined);
  const columns = (rows: readonly KeyJson[]): Column<KeyJson>[] => [
    {
      id: 'name',
      title: t('keys.name'),
      phone: 'title',
      cell: ({ keyId, displayName, lastFour }) => (
        <>
          {displayName} <code class="muted">…{lastFour}</code>{' '}
          {keyId === own && <Badge kind="info">{t('team.you')}</Badge>}
        </>
      ),
    },
    { id: 'made', title: t('keys.made'), cell: ({ createTime }) => <Time at={createTime} /> },
    { id: 'used', title: t('keys.lastUsed'), cell: ({ lastUsedTime }) => <Time at={lastUsedTime} /> },
    {
      id: 'ends',
      title: t('keys.expires'),
      cell: ({ expireTime }) => (expireTime ? <Time at={expireTime} /> : t('keys.never')),
    },
    {
      id: 'actions',
      title: t('team.actions'),
      align: 'end',
      cell: (key) => (
        <>
          <Button kind="quiet" of={nameOf(key)} onClick={() => setStep({ what: 'rotate', key })}>
            {t('keys.rotate')}
          </Button>
          <Button
            kind="quiet"
            of={nameOf(key)}
            disabled={isLast(key, rows)}
            onClick={() => setStep({ what: 'revoke', key })}
          >
            {t('keys.revoke')}
          </Button>
        </>
      ),
    },
  ];
  return (
    <Section
      title={t('team.keys')}
      actions={
        <Button kind="primary" onClick={() => setStep({ what: 'add' })}>
          {t('team.add')}
        </Button>
      }
    >
      <p class="muted">{t('team.keysHelp')}</p>
      <Async query={keys} lines={3}>
        {({ rows }) => (
          <>
            <Table caption={t('team.keys')} columns={columns(rows)} rows={rows} rowKey={({ keyId }) => keyId ?? ''} />
            {rows.some((key) => isLast(key, rows)) && <p class="muted small">{t('team.last')}</p>}
          </>
        )}
      </Async>
      <AddPerson open={step?.what === 'add'} onClose={close} />
      <RotateDialog target={of('rotate')} onClose={close} />
      <RevokeDialog target={of('revoke')} onClose={close} />
    </Section>
  );
}

/** Whether nobody could manage the account without it, now or once the others have expired. The service refuses it, too. */
function isLast(key: KeyJson, keys: readonly KeyJson[]): boolean {
  return key.expireTime === undefined && keys.every((other) => other === key || other.expireTime !== undefined);
}

function nameOf({ displayName = '', lastFour = '' }: KeyJson): string {
  return `${displayName} …${lastFour}`;
}
