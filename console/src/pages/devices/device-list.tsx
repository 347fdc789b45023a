import { useState } from 'preact/hooks';
import type { DeviceJson } from '../../../gen/intelligence/token/v1/device_pb';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { useRowList } from '../../row-list.ts';
import {
  Async,
  Button,
  type Column,
  Curl,
  Field,
  FilterChip,
  Money,
  More,
  Section,
  Table,
  Time,
  useFilters,
} from '../../ui/index.ts';
import { DeviceDialog } from './device-dialog.tsx';
import { DeviceState } from './words.tsx';

/** The account's devices, newest first. */
export function DeviceList() {
  const [filters, setFilters] = useFilters({ subject: '' });
  const [open, setOpen] = useState<DeviceJson>();
  const clients = useRpc('ClientService.ListClients', { pageSize: 100 });
  const request = { ...(filters.subject !== '' && { subject: filters.subject }) };
  const list = useRowList('TokenService.ListDevices', request, (page) => page.devices);
  const clientName = (id = ''): string =>
    clients.data?.clients?.find(({ clientId }) => clientId === id)?.displayName ?? id;
  const columns: Column<DeviceJson>[] = [
    {
      id: 'name',
      title: t('devices.device'),
      phone: 'title',
      cell: (device) => (
        <button
          type="button"
          class="devices-open"
          aria-haspopup="dialog"
          aria-label={t('devices.openFor', { name: device.displayName ?? '' })}
          onClick={() => setOpen(device)}
        >
          {device.displayName}
        </button>
      ),
    },
    { id: 'subject', title: t('devices.subject'), cell: ({ subject }) => subject },
    { id: 'client', title: t('devices.client'), cell: ({ clientId }) => clientName(clientId) },
    { id: 'state', title: t('devices.state'), cell: ({ state }) => <DeviceState state={state} /> },
    { id: 'scopes', title: t('devices.scopes'), cell: ({ scopes = [] }) => scopes.join(', ') },
    {
      id: 'cap',
      title: t('devices.cap'),
      align: 'end',
      cell: ({ spendingCapUsd: cap }) => (cap === undefined ? t('devices.capNone') : <Money usd={cap} />),
    },
    { id: 'used', title: t('devices.lastUsed'), cell: ({ lastUsedTime }) => <Time at={lastUsedTime} /> },
  ];
  return (
    <Section title={t('devices.devices')}>
      <SubjectFilter key={filters.subject} subject={filters.subject} onSubject={(subject) => setFilters({ subject })} />
      <Async
        query={list.query}
        lines={5}
        isEmpty={(rows) => rows.length === 0}
        empty={<NoDevice isFiltered={filters.subject !== ''} />}
      >
        {(rows) => (
          <Table
            caption={t('devices.devices')}
            columns={columns}
            rows={rows}
            rowKey={({ deviceId = '' }) => deviceId}
            isCurrent={({ deviceId }) => deviceId !== undefined && deviceId === open?.deviceId}
          />
        )}
      </Async>
      <More list={list} />
      <Curl name="TokenService.ListDevices" request={request} />
      <DeviceDialog device={open} clientName={clientName(open?.clientId)} onClose={() => setOpen(undefined)} />
    </Section>
  );
}

function SubjectFilter({ subject, onSubject }: { subject: string; onSubject: (subject: string) => void }) {
  const [typed, setTyped] = useState(subject);
  if (subject !== '')
    return (
      <p>
        <FilterChip name={`${t('devices.subject')}: ${subject}`} onRemove={() => onSubject('')} />
      </p>
    );
  return (
    <form
      class="devices-filter"
      aria-label={t('devices.filter')}
      onSubmit={(event) => {
        event.preventDefault();
        onSubject(typed.trim());
      }}
    >
      <Field
        label={t('devices.subject')}
        help={t('devices.subjectFilterHelp')}
        value={typed}
        onValue={setTyped}
        maxLength={128}
        autocomplete="off"
      />
      <Button type="submit">{t('devices.show')}</Button>
    </form>
  );
}

function NoDevice({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p class="empty">{t('devices.noneMatch')}</p>;
  return (
    <div class="empty">
      <p>{t('devices.noDevices')}</p>
      <p class="small">{t('devices.noDevicesHelp')}</p>
    </div>
  );
}
