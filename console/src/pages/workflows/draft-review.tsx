import { useState } from 'preact/hooks';
import { findText, listText, t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { Async, Badge, Button, Failure, Field, TextArea, Time, toast } from '../../ui/index.ts';
import { MarkedText, severityKind } from './marked-text.tsx';
import type { Draft } from './reply.ts';

/** The current state of a draft, to be read and decided. */
export function DraftReview({ draftId }: { draftId: string }) {
  const query = useRpc('WorkflowService.GetDraft', { draftId }, { staleTime: 0 });
  return (
    <Async query={query} lines={8}>
      {({ draft }) => draft && <Review key={draft.version} draft={draft} />}
    </Async>
  );
}

function Review({ draft }: { draft: Draft }) {
  const { draftId = '', version = 1, title, body = '', state = '', findings = [], placeholders = [] } = draft;
  const [editing, setEditing] = useState(false);
  return (
    <article class="workflows-draft">
      <header class="card-head">
        <h3>{title || draftId}</h3>
        <p class="workflows-badges">
          <Badge kind={stateKind(state)}>{findText('workflows', `draft-${state}`) ?? state}</Badge>
          <Badge kind="plain">{t('workflows.version', { version })}</Badge>
          {draft.riskLevel && (
            <Badge kind={severityKind(draft.riskLevel)}>{t('workflows.risk', { level: draft.riskLevel })}</Badge>
          )}
        </p>
      </header>
      {editing ? (
        <Revise draft={draft} onDone={() => setEditing(false)} />
      ) : (
        <>
          <MarkedText text={body} findings={findings} lang={draft.locale ?? ''} textLang={draft.locale ?? ''} />
          {placeholders.length > 0 && (
            <p class="small">
              <strong>{t('workflows.placeholders')}</strong>{' '}
              <span lang={draft.locale ?? ''}>{listText(placeholders)}</span>
            </p>
          )}
          <Reviews draft={draft} />
          {state === 'pending_review' && <Decide draft={draft} />}
          <Button onClick={() => setEditing(true)}>{t('workflows.revise')}</Button>
        </>
      )}
    </article>
  );
}

function Reviews({ draft: { reviews = [] } }: { draft: Draft }) {
  return (
    <ul class="workflows-list">
      {reviews.map(({ decision = '', reviewer, note, time, overrideReason }, index) => (
        <li key={index}>
          <Badge kind={stateKind(decision)}>{findText('workflows', `draft-${decision}`) ?? decision}</Badge> {reviewer}{' '}
          <Time at={time} /> {note} {overrideReason}
        </li>
      ))}
    </ul>
  );
}

/** Approves or rejects the version that was read. If the service refuses to approve, overriding needs a reason. */
function Decide({ draft: { draftId = '', version = 1 } }: { draft: Draft }) {
  const { accountName = '' } = useSession();
  const [reviewer, setReviewer] = useState(accountName);
  const [note, setNote] = useState('');
  const [override, setOverride] = useState('');
  const approve = useRpcMutation('WorkflowService.ApproveDraft', { onSuccess: () => toast(t('workflows.approved')) });
  const reject = useRpcMutation('WorkflowService.RejectDraft', { onSuccess: () => toast(t('workflows.rejected')) });
  const isOverridable = approve.error?.code === 'FAILED_PRECONDITION';
  const decision = { draftId, version, reviewer, note };
  const busy = approve.isPending || reject.isPending;
  return (
    <div class="form">
      <Field label={t('workflows.reviewer')} value={reviewer} onValue={setReviewer} maxLength={200} required />
      <TextArea
        label={t('workflows.note')}
        help={t('workflows.noteHelp')}
        rows={2}
        value={note}
        onValue={setNote}
        maxLength={4000}
      />
      {approve.error && <Failure failure={approve.error} />}
      {reject.error && <Failure failure={reject.error} />}
      {isOverridable && (
        <Field
          label={t('workflows.override')}
          help={t('workflows.overrideHelp')}
          value={override}
          onValue={setOverride}
        />
      )}
      <div class="actions">
        <Button
          kind="danger"
          busy={busy}
          disabled={note.trim() === '' || reviewer.trim() === ''}
          onClick={() => reject.mutate(decision)}
        >
          {t('workflows.reject')}
        </Button>
        <Button
          kind="primary"
          busy={busy}
          disabled={reviewer.trim() === '' || (isOverridable && override.trim().length < 3)}
          onClick={() => approve.mutate({ ...decision, ...(isOverridable && { override: { reason: override } }) })}
        >
          {isOverridable ? t('workflows.approveAnyway') : t('workflows.approve')}
        </Button>
      </div>
    </div>
  );
}

function Revise({ draft, onDone }: { draft: Draft; onDone: () => void }) {
  const { draftId = '', version = 1 } = draft;
  const [title, setTitle] = useState(draft.title ?? '');
  const [body, setBody] = useState(draft.body ?? '');
  const revise = useRpcMutation('WorkflowService.ReviseDraft', {
    onSuccess: () => {
      toast(t('workflows.revised'));
      onDone();
    },
  });
  return (
    <div class="form">
      <Field label={t('workflows.title-field')} value={title} onValue={setTitle} maxLength={300} />
      <TextArea label={t('workflows.body')} rows={14} value={body} onValue={setBody} maxLength={100_000} />
      {revise.error && <Failure failure={revise.error} />}
      <div class="actions">
        <Button onClick={onDone}>{t('common.cancel')}</Button>
        <Button
          kind="primary"
          busy={revise.isPending}
          disabled={body.trim() === ''}
          onClick={() => revise.mutate({ draftId, title, body, baseVersion: version })}
        >
          {t('workflows.save')}
        </Button>
      </div>
    </div>
  );
}

export function stateKind(state: string): 'good' | 'danger' | 'warning' | 'plain' {
  if (state === 'approved' || state === 'active') return 'good';
  if (state === 'rejected') return 'danger';
  return state === 'pending_review' ? 'warning' : 'plain';
}
