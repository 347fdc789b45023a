import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { RpcRequest } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Badge, Button, Curl, Section, Table, toast } from '../../ui/index.ts';
import { JsonForm } from './json-form.tsx';
import { severityKind } from './marked-text.tsx';

export type OwnPack = NonNullable<RpcRequest<'WorkflowService.CreateRiskPack'>['pack']>;

/** The current state of one pack, to be read and changed. */
export function OnePack({ packId }: { packId: string }) {
  // Edits are based on the version that was read: it is sent with the change, so that nobody else's is lost.
  const [changing, setChanging] = useState<OwnPack>();
  return changing ? (
    <Change pack={changing} onDone={() => setChanging(undefined)} />
  ) : (
    <Look packId={packId} onChange={setChanging} />
  );
}

function Look({ packId, onChange }: { packId: string; onChange: (pack: OwnPack) => void }) {
  const request = { packId };
  const query = useRpc('WorkflowService.GetRiskPack', request, { staleTime: 0 });
  const pack = query.data?.pack;
  return (
    <Section
      class="workflows-card"
      title={pack?.displayName || packId}
      actions={
        <>
          <Link class="button" href="/workflows/risk-packs">
            {t('workflows.allPacks')}
          </Link>
          <Button kind="primary" disabled={!pack} onClick={() => pack && onChange(pack)}>
            {t('workflows.changePack')}
          </Button>
        </>
      }
    >
      <Async query={query} lines={8}>
        {({ pack: read }) => read && <Contents pack={read} />}
      </Async>
      <Curl name="WorkflowService.GetRiskPack" request={request} />
    </Section>
  );
}

/** Whether checks that name no packs use it. */
export function PackState({ pack: { enabled = true } }: { pack: OwnPack }) {
  return enabled ? (
    <Badge kind="good">{t('workflows.packInUse')}</Badge>
  ) : (
    <Badge kind="plain">{t('workflows.packNamed')}</Badge>
  );
}

function Contents({ pack }: { pack: OwnPack }) {
  const { version = 1, domain, entries = [], allow = [] } = pack;
  return (
    <>
      <p class="workflows-badges">
        <PackState pack={pack} />
        <Badge kind="plain">{t('workflows.version', { version })}</Badge>
        {domain && (
          <span lang="en">
            <Badge kind="plain">{domain}</Badge>
          </span>
        )}
      </p>
      <h3>{t('workflows.packEntries')}</h3>
      <Table
        caption={t('workflows.packEntries')}
        rows={entries}
        rowKey={({ id }) => id ?? ''}
        empty={<p class="muted">{t('workflows.nothing')}</p>}
        columns={[
          {
            id: 'phrases',
            title: t('workflows.phrases'),
            phone: 'title',
            cell: ({ phrases = [] }) => <Phrases phrases={phrases} />,
          },
          { id: 'id', title: t('workflows.name'), cell: ({ id }) => <code>{id}</code> },
          { id: 'category', title: t('workflows.category'), cell: ({ category }) => <code>{category}</code> },
          {
            id: 'severity',
            title: t('workflows.severity'),
            cell: ({ severity = '' }) => (
              <span lang="en">
                <Badge kind={severityKind(severity)}>{severity}</Badge>
              </span>
            ),
          },
          {
            id: 'why',
            title: t('workflows.message'),
            cell: ({ reason, suggestion }) => [reason, suggestion].filter(Boolean).join(' ') || '–',
          },
        ]}
      />
      <h3>{t('workflows.packAllowed')}</h3>
      <Table
        caption={t('workflows.packAllowed')}
        rows={allow}
        rowKey={({ phrase }) => phrase ?? ''}
        empty={<p class="muted">{t('workflows.nothing')}</p>}
        columns={[
          { id: 'phrase', title: t('workflows.phrase'), phone: 'title', cell: ({ phrase }) => phrase },
          {
            id: 'allows',
            title: t('workflows.allows'),
            cell: ({ allowsCritical }) =>
              allowsCritical ? t('workflows.allowsCritical') : t('workflows.allowsOthers'),
          },
          { id: 'why', title: t('workflows.message'), cell: ({ reason }) => reason || '–' },
        ]}
      />
    </>
  );
}

function Phrases({ phrases }: { phrases: readonly string[] }) {
  return (
    <ul>
      {phrases.map((phrase) => (
        <li key={phrase}>{phrase}</li>
      ))}
    </ul>
  );
}

function Change({ pack, onDone }: { pack: OwnPack; onDone: () => void }) {
  const { version = 1, createTime, updateTime, sizeBytes, ...written } = pack;
  const { packId = '' } = written;
  const update = useRpcMutation('WorkflowService.UpdateRiskPack', {
    onSuccess: ({ pack: saved }) => {
      toast(t('workflows.packSaved', { name: packId, version: saved?.version ?? version }));
      onDone();
    },
  });
  return (
    <Section class="workflows-card" title={pack.displayName || packId}>
      <JsonForm
        label={t('workflows.pack')}
        help={t('workflows.packHelp')}
        initial={written}
        field="pack"
        saveText={t('workflows.save')}
        change={update}
        onSave={(changed) => update.mutate({ packId, pack: changed as OwnPack, version })}
        onCancel={onDone}
      />
    </Section>
  );
}
