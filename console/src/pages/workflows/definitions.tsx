import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { RpcRequest } from '../../api.ts';
import { findText, t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Badge, Button, Curl, Section, Table, Time, toast } from '../../ui/index.ts';
import { stateKind } from './draft-review.tsx';
import { Ending } from './ending.tsx';
import { definitionExample } from './families.ts';
import { JsonForm } from './json-form.tsx';

type Definition = NonNullable<RpcRequest<'WorkflowService.CreateWorkflowDefinition'>['definition']>;

/** The account's own workflows: created, run, retired and deleted here. */
export function Definitions() {
  const [making, setMaking] = useState(false);
  const request = { pageSize: 100 };
  const query = useRpc('WorkflowService.ListWorkflowDefinitions', request);
  return (
    <Section
      class="workflows-card"
      title={t('workflows.own')}
      actions={
        <Button kind="primary" onClick={() => setMaking(true)}>
          {t('workflows.make')}
        </Button>
      }
    >
      {making && <Make onDone={() => setMaking(false)} />}
      <Async
        query={query}
        lines={5}
        isEmpty={({ definitions = [] }) => definitions.length === 0}
        empty={<p class="empty">{t('workflows.noDefinitions')}</p>}
      >
        {({ definitions = [], nextPageToken }) => (
          <>
            <Table
              caption={t('workflows.own')}
              rows={definitions}
              rowKey={nameOf}
              columns={[
                {
                  id: 'name',
                  title: t('workflows.name'),
                  phone: 'title',
                  cell: (row) => (
                    <>
                      <Link href={`/workflows/${row.client}~${row.workflow}`}>{nameOf(row)}</Link>{' '}
                      <span class="muted">{row.displayName}</span>
                    </>
                  ),
                },
                { id: 'version', title: t('workflows.versionTitle'), align: 'end', cell: ({ version }) => version },
                {
                  id: 'state',
                  title: t('workflows.state'),
                  cell: ({ state = '' }) => (
                    <Badge kind={stateKind(state)}>{findText('workflows', `definition-${state}`) ?? state}</Badge>
                  ),
                },
                { id: 'time', title: t('workflows.made'), cell: ({ createTime }) => <Time at={createTime} /> },
                { id: 'actions', title: t('workflows.actions'), cell: (row) => <End definition={row} /> },
              ]}
            />
            {nextPageToken && <p class="muted">{t('workflows.moreDefinitions')}</p>}
          </>
        )}
      </Async>
      <Curl name="WorkflowService.ListWorkflowDefinitions" request={request} />
    </Section>
  );
}

function nameOf({ client, workflow }: Definition): string {
  return `${client}/${workflow}`;
}

function Make({ onDone }: { onDone: () => void }) {
  const make = useRpcMutation('WorkflowService.CreateWorkflowDefinition', {
    onSuccess: ({ definition }) => {
      toast(t('workflows.madeVersion', { version: definition?.version ?? 1 }));
      onDone();
    },
  });
  return (
    <JsonForm
      label={t('workflows.definition')}
      help={t('workflows.makeHelp')}
      initial={definitionExample}
      field="definition"
      saveText={t('workflows.makeVersion')}
      change={make}
      onSave={(definition) => make.mutate({ definition: definition as Definition })}
      onCancel={onDone}
    />
  );
}

/** Retiring stops all versions; retired ones can be deleted. */
function End({ definition }: { definition: Definition }) {
  const { client = '', workflow = '', state } = definition;
  const retire = useRpcMutation('WorkflowService.RetireWorkflowDefinition');
  const remove = useRpcMutation('WorkflowService.DeleteWorkflowDefinition');
  const request = { client, workflow };
  const name = nameOf(definition);
  if (state === 'active')
    return (
      <Ending
        name={t('workflows.retire')}
        of={name}
        help={t('workflows.retireHelp', { name })}
        change={retire}
        request={request}
      />
    );
  return (
    <Ending
      name={t('workflows.delete')}
      of={name}
      help={t('workflows.deleteHelp', { name })}
      change={remove}
      request={request}
    />
  );
}
