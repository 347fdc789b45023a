import { useState } from 'preact/hooks';
import type { ClientJson } from '../../../gen/intelligence/token/v1/client_pb';
import { apiUrl } from '../../api.ts';
import { useAllKeys } from '../../credentials/all-keys.ts';
import { findText, t } from '../../i18n/index.ts';
import { useRowList } from '../../row-list.ts';
import {
  Async,
  Badge,
  Button,
  Code,
  type Column,
  CopyButton,
  Curl,
  More,
  Section,
  Table,
  Time,
} from '../../ui/index.ts';
import { DisableDialog, RegisterDialog } from './client-dialogs.tsx';

/** The client applications that the account ships. */
export function Clients() {
  const list = useRowList('ClientService.ListClients', {}, (page) => page.clients);
  const keys = useAllKeys();
  const [isNew, setIsNew] = useState(false);
  const [disabling, setDisabling] = useState<ClientJson>();
  const keyName = (id = ''): string => keys.data?.rows.find(({ keyId }) => keyId === id)?.displayName ?? id;
  const columns: Column<ClientJson>[] = [
    { id: 'name', title: t('devices.name'), phone: 'title', cell: ({ displayName }) => displayName },
    {
      id: 'id',
      title: t('devices.clientId'),
      cell: ({ clientId = '', displayName }) => (
        <span class="devices-id">
          <code>{clientId}</code>
          <CopyButton text={clientId} of={displayName} />
        </span>
      ),
    },
    { id: 'key', title: t('devices.key'), cell: ({ keyId }) => keyName(keyId) },
    {
      id: 'state',
      title: t('devices.state'),
      cell: ({ state = '' }) => (
        <Badge kind={state === 'active' ? 'good' : 'plain'}>{findText('devices', `client-${state}`) ?? state}</Badge>
      ),
    },
    { id: 'created', title: t('devices.registered'), cell: ({ createTime }) => <Time at={createTime} /> },
    {
      id: 'actions',
      title: t('devices.actions'),
      align: 'end',
      cell: (client) =>
        client.state === 'active' && (
          <Button
            kind="quiet"
            aria-haspopup="dialog"
            aria-label={t('devices.disableFor', { name: client.displayName ?? '' })}
            onClick={() => setDisabling(client)}
          >
            {t('devices.disable')}
          </Button>
        ),
    },
  ];
  return (
    <Section
      title={t('devices.clients')}
      actions={<Button onClick={() => setIsNew(true)}>{t('devices.addClient')}</Button>}
    >
      <p class="muted">{t('devices.clientsHelp')}</p>
      <Async query={list.query} lines={3} isEmpty={(rows) => rows.length === 0} empty={<NoClient />}>
        {(rows) => (
          <Table
            caption={t('devices.clients')}
            columns={columns}
            rows={rows}
            rowKey={({ clientId = '' }) => clientId}
          />
        )}
      </Async>
      <More list={list} />
      <Curl name="ClientService.ListClients" request={{}} />
      <RegisterDialog open={isNew} keys={keys.data?.rows} onClose={() => setIsNew(false)} />
      <DisableDialog client={disabling} onClose={() => setDisabling(undefined)} />
    </Section>
  );
}

function NoClient() {
  return (
    <div class="devices-none">
      <p>
        <strong>{t('devices.noClients')}</strong>
      </p>
      <p class="muted">{t('devices.noClientsHelp')}</p>
      <Code text={`curl ${apiUrl('/oauth/device_authorization')} -d client_id=app_... -d scope=chat`} />
    </div>
  );
}
