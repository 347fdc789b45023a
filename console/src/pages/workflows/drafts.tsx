import { useState } from 'preact/hooks';
import { findText, t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import {
  Async,
  Badge,
  Button,
  Curl,
  Dialog,
  Filters,
  Section,
  Select,
  Table,
  Time,
  useFilters,
} from '../../ui/index.ts';
import { DraftReview, stateKind } from './draft-review.tsx';

const states = ['pending_review', 'approved', 'rejected', ''] as const;

/** Drafts waiting for a decision, newest first. */
export function Drafts() {
  const [{ state, page }, set] = useFilters({ state: 'pending_review', page: '' });
  const [shown, setShown] = useState<string>();
  const request = { state, pageSize: 50, ...(page !== '' && { pageToken: page }) };
  const query = useRpc('WorkflowService.ListDrafts', request);
  return (
    <Section
      class="workflows-card"
      title={t('workflows.drafts')}
      actions={
        <Filters label={t('workflows.drafts')}>
          <Select
            quiet
            label={t('workflows.state')}
            value={state}
            options={states.map((value) => ({
              value,
              label: findText('workflows', `draft-${value || 'all'}`) ?? value,
            }))}
            onValue={(value) => set({ state: value, page: '' })}
          />
        </Filters>
      }
    >
      <Async
        query={query}
        lines={6}
        isEmpty={({ drafts = [] }) => drafts.length === 0}
        empty={<p class="empty">{t('workflows.noDrafts')}</p>}
      >
        {({ drafts = [], nextPageToken }) => (
          <>
            <Table
              caption={t('workflows.drafts')}
              rows={drafts}
              rowKey={({ draftId }) => draftId ?? ''}
              columns={[
                {
                  id: 'title',
                  title: t('workflows.document'),
                  phone: 'title',
                  cell: ({ draftId = '', title }) => (
                    <Button kind="quiet" onClick={() => setShown(draftId)}>
                      {title || draftId}
                    </Button>
                  ),
                },
                { id: 'kind', title: t('workflows.kind'), cell: ({ kind }) => kind || '–' },
                {
                  id: 'state',
                  title: t('workflows.state'),
                  cell: ({ state: is = '' }) => (
                    <Badge kind={stateKind(is)}>{findText('workflows', `draft-${is}`) ?? is}</Badge>
                  ),
                },
                {
                  id: 'risk',
                  title: t('workflows.riskTitle'),
                  cell: ({ riskLevel }) => <span lang="en">{riskLevel}</span>,
                },
                { id: 'version', title: t('workflows.versionTitle'), align: 'end', cell: ({ version }) => version },
                { id: 'time', title: t('workflows.made'), cell: ({ createTime }) => <Time at={createTime} /> },
              ]}
            />
            {nextPageToken && <Button onClick={() => set({ page: nextPageToken })}>{t('workflows.older')}</Button>}
          </>
        )}
      </Async>
      <Curl name="WorkflowService.ListDrafts" request={request} />
      <Dialog title={t('workflows.draft')} kind="side" open={shown !== undefined} onClose={() => setShown(undefined)}>
        {shown !== undefined && <DraftReview draftId={shown} />}
      </Dialog>
    </Section>
  );
}
