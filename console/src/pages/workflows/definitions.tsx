import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { RpcRequest } from '../../api.ts';
import { findText, t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Badge, Button, Curl, Dialog, Failure, Section, Table, Time, toast } from '../../ui/index.ts';
import { stateKind } from './draft-review.tsx';
import { JsonEditor } from './editor.tsx';
import { definitionExample } from './families.ts';
import { placesOf } from './json-places.ts';

type Definition = NonNullable<RpcRequest<'WorkflowService.CreateWorkflowDefinition'>['definition']>;

/** The account's own workflows: made, run, retired and deleted here. */
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
                { id: 'actions', title: t('workflows.actions'), cell: (row) => <Ending definition={row} /> },
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
  const [text, setText] = useState(() => JSON.stringify(definitionExample, null, 2));
  const make = useRpcMutation('WorkflowService.CreateWorkflowDefinition', {
    onSuccess: ({ definition }) => {
      toast(t('workflows.madeVersion', { version: definition?.version ?? 1 }));
      onDone();
    },
  });
  // The page's text is the definition; the request has it in a field.
  const violations = (make.error?.violations ?? []).map(({ field, description }) => ({
    field: field.replace(/^definition\.?/, ''),
    description,
  }));
  return (
    <div class="form">
      <p class="muted">{t('workflows.makeHelp')}</p>
      <JsonEditor
        label={t('workflows.definition')}
        value={text}
        violations={violations}
        onValue={(value) => {
          make.reset();
          setText(value);
        }}
      />
      {make.error && <Failure failure={{ ...make.error, violations: [] }} />}
      <div class="actions">
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button
          kind="primary"
          busy={make.isPending}
          disabled={placesOf(text).problem !== undefined}
          onClick={() => make.mutate({ definition: JSON.parse(text) })}
        >
          {t('workflows.makeVersion')}
        </Button>
      </div>
    </div>
  );
}

/** Retiring stops all versions; what is retired can be deleted. */
function Ending({ definition }: { definition: Definition }) {
  const { client = '', workflow = '', state } = definition;
  const [asking, setAsking] = useState(false);
  const done = { onSuccess: () => setAsking(false) };
  const retire = useRpcMutation('WorkflowService.RetireWorkflowDefinition', done);
  const remove = useRpcMutation('WorkflowService.DeleteWorkflowDefinition', done);
  const isActive = state === 'active';
  const change = isActive ? retire : remove;
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        {isActive ? t('workflows.retire') : t('workflows.delete')}
      </Button>
      <Dialog
        title={isActive ? t('workflows.retire') : t('workflows.delete')}
        open={asking}
        onClose={() => setAsking(false)}
        actions={
          <>
            <Button onClick={() => setAsking(false)}>{t('common.cancel')}</Button>
            <Button kind="danger" busy={change.isPending} onClick={() => change.mutate({ client, workflow })}>
              {isActive ? t('workflows.retire') : t('workflows.delete')}
            </Button>
          </>
        }
      >
        <p>
          {isActive
            ? t('workflows.retireHelp', { name: nameOf(definition) })
            : t('workflows.deleteHelp', { name: nameOf(definition) })}
        </p>
        {change.error && <Failure failure={change.error} />}
      </Dialog>
    </>
  );
}
