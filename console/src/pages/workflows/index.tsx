import { Link, useParams } from 'wouter-preact';
import { findText, t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Page, Section } from '../../ui/index.ts';
import { Definitions } from './definitions.tsx';
import { Drafts } from './drafts.tsx';
import { families, familyNames, isFamily } from './families.ts';
import { Outcomes } from './outcomes.tsx';
import { RiskPacks } from './risk-packs.tsx';
import { Run } from './run.tsx';
import './workflows.css';

export default function Workflows() {
  const { workflow = 'risk' } = useParams<{ workflow?: string }>();
  return (
    <Page title={t('workflows.title')} lead={t('workflows.lead')}>
      <nav class="workflows-nav" aria-label={t('workflows.title')}>
        <ul>
          {[...familyNames, 'drafts', 'definitions', 'risk-packs', 'outcomes'].map((name) => (
            <li key={name}>
              <Link
                href={`/workflows/${name}`}
                {...((name === workflow || (name === 'definitions' && workflow.includes('~'))) && {
                  'aria-current': 'page' as const,
                })}
              >
                {nameText(name)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Shown key={workflow} workflow={workflow} />
    </Page>
  );
}

function Shown({ workflow }: { workflow: string }) {
  if (workflow === 'drafts') return <Drafts />;
  if (workflow === 'definitions') return <Definitions />;
  if (workflow === 'risk-packs') return <RiskPacks />;
  if (workflow === 'outcomes') return <Outcomes />;
  if (isFamily(workflow))
    return <Run target={{ family: workflow }} title={nameText(workflow)} example={families[workflow].example} />;
  const [client = '', name = ''] = workflow.split('~');
  return <Own client={client} workflow={name} />;
}

/** One of the account's own workflows, with its first sample as the example. */
function Own({ client, workflow }: { client: string; workflow: string }) {
  const query = useRpc('WorkflowService.GetWorkflowDefinition', { client, workflow });
  return (
    <Async query={query} lines={10}>
      {({ definition }) => (
        <>
          <Run
            target={{ client, workflow }}
            title={definition?.displayName || `${client}/${workflow}`}
            example={definition?.samples?.[0]?.input ?? {}}
          />
          <Section title={t('workflows.definition')} class="workflows-card">
            <details>
              <summary>{t('workflows.shown', { version: definition?.version ?? 1 })}</summary>
              <pre class="workflows-definition">{JSON.stringify(definition, null, 2)}</pre>
            </details>
          </Section>
        </>
      )}
    </Async>
  );
}

function nameText(name: string): string {
  return findText('workflows', `name-${name}`) ?? name;
}
