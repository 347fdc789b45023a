import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Button, Curl, Section, Table, Time, toast, useFilters } from '../../ui/index.ts';
import { Ending } from './ending.tsx';
import { packExample } from './families.ts';
import { JsonForm } from './json-form.tsx';
import { OnePack, type OwnPack, PackState } from './one-pack.tsx';

/** The account's own risk packs; with `?pack=`, one of them. */
export function RiskPacks() {
  const [{ pack }] = useFilters({ pack: '' });
  return pack === '' ? <All /> : <OnePack key={pack} packId={pack} />;
}

function All() {
  const [making, setMaking] = useState(false);
  // An account has fewer packs than fit on a page.
  const request = { pageSize: 100 };
  const query = useRpc('WorkflowService.ListRiskPacks', request);
  return (
    <Section
      class="workflows-card"
      title={t('workflows.name-risk-packs')}
      actions={
        <Button kind="primary" onClick={() => setMaking(true)}>
          {t('workflows.makePack')}
        </Button>
      }
    >
      {making && <Make onDone={() => setMaking(false)} />}
      <Async query={query} lines={5} isEmpty={({ packs = [] }) => packs.length === 0} empty={<NoPacks />}>
        {({ packs = [] }) => (
          <>
            <Table
              caption={t('workflows.name-risk-packs')}
              rows={packs}
              rowKey={({ packId }) => packId ?? ''}
              columns={[
                {
                  id: 'name',
                  title: t('workflows.name'),
                  phone: 'title',
                  cell: ({ packId = '', displayName }) => (
                    <>
                      <Link href={`/workflows/risk-packs?pack=${packId}`}>{packId}</Link>{' '}
                      <span class="muted">{displayName}</span>
                    </>
                  ),
                },
                { id: 'state', title: t('workflows.state'), cell: (pack) => <PackState pack={pack} /> },
                {
                  id: 'domain',
                  title: t('workflows.packDomain'),
                  cell: ({ domain }) => (domain ? <span lang="en">{domain}</span> : t('workflows.everyDomain')),
                },
                {
                  id: 'entries',
                  title: t('workflows.packRisks'),
                  align: 'end',
                  cell: ({ entries = [] }) => entries.length,
                },
                {
                  id: 'allow',
                  title: t('workflows.packPhrases'),
                  align: 'end',
                  cell: ({ allow = [] }) => allow.length,
                },
                { id: 'version', title: t('workflows.versionTitle'), align: 'end', cell: ({ version }) => version },
                { id: 'time', title: t('workflows.changed'), cell: ({ updateTime }) => <Time at={updateTime} /> },
                {
                  id: 'actions',
                  title: t('workflows.actions'),
                  cell: ({ packId = '' }) => <Delete packId={packId} />,
                },
              ]}
            />
            <Curl name="WorkflowService.ListRiskPacks" request={request} />
          </>
        )}
      </Async>
    </Section>
  );
}

function NoPacks() {
  return (
    <>
      <p class="empty">{t('workflows.noPacks')}</p>
      <Curl name="WorkflowService.CreateRiskPack" request={{ pack: packExample as OwnPack }} />
    </>
  );
}

function Make({ onDone }: { onDone: () => void }) {
  const make = useRpcMutation('WorkflowService.CreateRiskPack', {
    onSuccess: ({ pack }) => {
      toast(t('workflows.packSaved', { name: pack?.packId ?? '', version: pack?.version ?? 1 }));
      onDone();
    },
  });
  return (
    <JsonForm
      label={t('workflows.pack')}
      help={t('workflows.packHelp')}
      initial={packExample}
      field="pack"
      saveText={t('workflows.savePack')}
      change={make}
      failureTitle={make.error?.reason === 'ALREADY_EXISTS' ? t('workflows.packExists') : undefined}
      onSave={(pack) => make.mutate({ pack: pack as OwnPack })}
      onCancel={onDone}
    />
  );
}

function Delete({ packId }: { packId: string }) {
  const remove = useRpcMutation('WorkflowService.DeleteRiskPack', {
    onSuccess: () => toast(t('workflows.packDeleted', { name: packId })),
  });
  return (
    <Ending
      name={t('workflows.delete')}
      of={packId}
      help={t('workflows.deletePackHelp', { name: packId })}
      change={remove}
      request={{ packId }}
    />
  );
}
