import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import { findText, formatNumber, t } from '../../i18n/index.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { Badge, Banner, Code, Money, Section, Table } from '../../ui/index.ts';
import { DraftReview } from './draft-review.tsx';
import { MarkedText, severityKind } from './marked-text.tsx';
import { byWeightLost, type CheckOutcome, isLost, markedTexts, type Reply, wordsOf } from './reply.ts';
import { languageOf } from './spoken.ts';

/** A workflow's reply: the judgement first, then its basis, its cost, and the whole as JSON. */
export function Result({ reply, request }: { reply: Reply; request: unknown }) {
  // The service answers in the request's language, not the page's.
  const lang = languageOf(wordsOf(reply));
  return (
    <Section title={t('workflows.result')} class="workflows-result">
      <Verdict reply={reply} lang={lang} />
      {reply.nextBestAction && (
        <Banner title={t('workflows.doNext')}>
          <span lang={lang}>{reply.nextBestAction}</span>
        </Banner>
      )}
      <Lists reply={reply} lang={lang} />
      <Findings reply={reply} request={request} lang={lang} />
      <Fields reply={reply} lang={lang} />
      <Dimensions reply={reply} lang={lang} />
      <Ranking reply={reply} />
      {reply.markdown && (
        <details>
          <summary>{t('workflows.memo')}</summary>
          <div lang={lang}>
            <Markdown text={reply.markdown} />
          </div>
        </details>
      )}
      {reply.draft?.draftId && <DraftReview draftId={reply.draft.draftId} />}
      {reply.output !== undefined && <Code text={JSON.stringify(reply.output, null, 2)} />}
      <Checks reply={reply} lang={lang} />
      <Cost reply={reply} />
      <details>
        <summary>{t('workflows.raw')}</summary>
        <Code text={JSON.stringify(reply, null, 2)} />
      </details>
    </Section>
  );
}

interface PartProps {
  reply: Reply;
  /** The language of the service's words; empty: unknown. */
  lang: string;
}

function Verdict({ reply, lang }: PartProps) {
  const score = reply.readinessScore ?? reply.riskScore ?? reply.overallScore ?? reply.completeness;
  const { recommendation, riskLevel, rating, ready, summary } = reply;
  return (
    <div class="workflows-verdict">
      {score !== undefined && (
        <p class="workflows-score">
          <strong>{points(score)}</strong> <span class="muted">{t('workflows.of100')}</span>{' '}
          <span class="muted">{reply.riskScore !== undefined ? t('workflows.riskHigh') : ''}</span>
        </p>
      )}
      <p class="workflows-badges">
        {rating && <Badge kind="plain">{t('workflows.rating', { rating })}</Badge>}
        {riskLevel && <Badge kind={severityKind(riskLevel)}>{t('workflows.risk', { level: riskLevel })}</Badge>}
        {ready !== undefined && (
          <Badge kind={ready ? 'good' : 'warning'}>{ready ? t('workflows.ready') : t('workflows.notReady')}</Badge>
        )}
        {recommendation?.option && <Badge kind="good">{recommendation.option}</Badge>}
      </p>
      {summary && <p lang={lang}>{summary}</p>}
      {recommendation?.rationale && (
        <p class="muted" lang={lang}>
          {recommendation.rationale}
        </p>
      )}
    </div>
  );
}

function Lists({ reply, lang }: PartProps) {
  const blockers = reply.blockers?.map(({ message, action }) => [message, action].filter(Boolean).join(' '));
  const eliminated = reply.eliminated?.map(({ option, constraint, reason }) =>
    [`${option}:`, constraint, reason].filter(Boolean).join(' '),
  );
  const unused = reply.unusedFields?.map(({ field, nearest }) =>
    nearest ? t('workflows.unusedMeant', { field: field ?? '', meant: nearest }) : (field ?? ''),
  );
  return (
    <>
      <List title={t('workflows.blockers')} items={blockers} lang={lang} />
      <List title={t('workflows.missing')} items={reply.missingFacts} lang={lang} />
      <List title={t('workflows.eliminated')} items={eliminated} lang={lang} />
      <List title={t('workflows.caps')} items={reply.caps?.map(({ message }) => message ?? '')} lang={lang} />
      <List title={t('workflows.risks')} items={reply.risks} lang={lang} />
      <List title={t('workflows.assumptions')} items={reply.assumptions} lang={lang} />
      <List title={t('workflows.unused')} items={unused} />
    </>
  );
}

interface ListProps {
  title: string;
  items: readonly string[] | undefined;
  /** The language of the items; the page's when unset. */
  lang?: string;
}

function List({ title, items, lang }: ListProps) {
  if (!items || items.length === 0) return null;
  return (
    <div>
      <h3>{title}</h3>
      <ul class="workflows-list" lang={lang}>
        {items.map((item) => (
          <li key={item}>{item}</li>
        ))}
      </ul>
    </div>
  );
}

function Findings({ reply, request, lang }: PartProps & { request: unknown }) {
  const { findings = [] } = reply;
  // A draft shows its own findings.
  if (findings.length === 0 || reply.draft) return null;
  return (
    <div>
      <h3>{t('workflows.findings')}</h3>
      {markedTexts(request, findings).map((each, index) => (
        <MarkedText key={index} {...each} lang={lang} />
      ))}
    </div>
  );
}

function Fields({ reply: { fields, nextField }, lang }: PartProps) {
  if (!fields) return null;
  return (
    <Table
      caption={t('workflows.fields')}
      rows={fields}
      rowKey={({ field }) => field ?? ''}
      isCurrent={({ field }) => field === nextField}
      columns={[
        {
          id: 'field',
          title: t('workflows.field'),
          cell: ({ label, field }) => <span lang={lang}>{label || field}</span>,
          phone: 'title',
        },
        {
          id: 'status',
          title: t('workflows.status'),
          cell: ({ status = '' }) => (
            <Badge kind={statusKind(status)}>{findText('workflows', `status-${status}`) ?? status}</Badge>
          ),
        },
        {
          id: 'do',
          title: t('workflows.whatToDo'),
          cell: ({ message, suggestion }) => <span lang={lang}>{suggestion || message}</span>,
        },
      ]}
    />
  );
}

function statusKind(status: string) {
  if (status === 'ok') return 'good';
  return status === 'missing' || status === 'invalid' ? 'danger' : 'plain';
}

function Dimensions({ reply: { dimensions }, lang }: PartProps) {
  if (!dimensions) return null;
  return (
    <Table
      caption={t('workflows.dimensions')}
      rows={dimensions}
      rowKey={(row) => row.name ?? ''}
      columns={[
        {
          id: 'name',
          title: t('workflows.dimension'),
          cell: ({ label, name }) => <span lang={lang}>{label || name}</span>,
          phone: 'title',
        },
        { id: 'score', title: t('workflows.score'), align: 'end', cell: ({ score }) => points(score) },
        { id: 'rating', title: t('workflows.ratingTitle'), cell: ({ rating }) => rating || '–' },
        {
          id: 'drivers',
          title: t('workflows.drivers'),
          cell: ({ drivers }) => <span lang={lang}>{drivers?.map(({ message }) => message).join(' ')}</span>,
        },
      ]}
    />
  );
}

function Ranking({ reply: { ranking } }: { reply: Reply }) {
  if (!ranking) return null;
  const criteria = ranking[0]?.criteria?.map(({ criterion = '' }) => criterion) ?? [];
  return (
    <Table
      caption={t('workflows.ranking')}
      rows={ranking}
      rowKey={({ option }) => option ?? ''}
      isCurrent={({ rank }) => rank === 1}
      columns={[
        {
          id: 'option',
          title: t('workflows.option'),
          cell: ({ rank, option }) => `${rank}. ${option}`,
          phone: 'title',
        },
        { id: 'score', title: t('workflows.score'), align: 'end', cell: ({ score }) => points(score) },
        ...criteria.map((name) => ({
          id: `of-${name}`,
          title: name,
          align: 'end' as const,
          cell: (row: NonNullable<Reply['ranking']>[number]) => {
            const found = row.criteria?.find(({ criterion }) => criterion === name);
            return found?.value === undefined ? '–' : formatNumber(Number(found.value));
          },
        })),
      ]}
    />
  );
}

function Checks({ reply: { basis }, lang }: PartProps) {
  if (!basis) return null;
  const checks = byWeightLost(basis.checks ?? []);
  const lost = checks.filter(isLost);
  const others = checks.filter((check) => !isLost(check));
  return (
    <div class="workflows-basis">
      {lost.length > 0 && <CheckTable caption={t('workflows.checks')} checks={lost} lang={lang} />}
      {others.length > 0 && (
        <details>
          <summary>{t('workflows.otherChecks', { count: others.length })}</summary>
          <CheckTable caption={t('workflows.otherChecks', { count: others.length })} checks={others} lang={lang} />
        </details>
      )}
      <p class="small muted">
        {basis.evaluator === 'assisted'
          ? t('workflows.assisted', { model: basis.model ?? '', pack: basis.packVersion ?? '' })
          : t('workflows.byRules', { pack: basis.packVersion ?? '' })}{' '}
        <span lang={lang}>{basis.note}</span>
      </p>
    </div>
  );
}

interface CheckTableProps {
  caption: string;
  checks: readonly CheckOutcome[];
  lang: string;
}

function CheckTable({ caption, checks, lang }: CheckTableProps) {
  return (
    <Table
      caption={caption}
      rows={checks}
      rowKey={({ id }) => id ?? ''}
      columns={[
        {
          id: 'id',
          title: t('workflows.check'),
          phone: 'title',
          cell: ({ id, fact }) => (
            <span>
              <code>{id}</code>{' '}
              <span class="muted" lang={lang}>
                {fact}
              </span>
            </span>
          ),
        },
        {
          id: 'outcome',
          title: t('workflows.outcome'),
          cell: ({ outcome = '', severity = '' }) => (
            <Badge kind={outcome === 'passed' ? 'good' : outcome === 'skipped' ? 'plain' : severityKind(severity)}>
              {findText('workflows', `outcome-${outcome}`) ?? outcome}
            </Badge>
          ),
        },
        {
          id: 'weight',
          title: t('workflows.weight'),
          align: 'end',
          cell: ({ weight }) => formatNumber(Number(weight ?? 0)),
        },
        {
          id: 'message',
          title: t('workflows.message'),
          cell: ({ message, action }) => (
            <span lang={lang}>
              {message} {action && <span class="muted">{action}</span>}
            </span>
          ),
        },
      ]}
    />
  );
}

function Cost({ reply: { usage } }: { reply: Reply }) {
  if (!usage) return null;
  return (
    <dl class="workflows-cost">
      <Pair name={t('workflows.cost')}>
        <Money usd={usage.costUsd} />
      </Pair>
      {usage.inputTokens !== undefined && (
        <Pair name={t('workflows.tokens')}>
          {formatNumber(usage.inputTokens)} / {formatNumber(usage.outputTokens ?? 0)}
        </Pair>
      )}
      {usage.chargeId && (
        <Pair name={t('workflows.charge')}>
          <Link href={`/charges/${usage.chargeId}`}>{usage.chargeId}</Link>
        </Pair>
      )}
    </dl>
  );
}

function Pair({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** JSON transmits numbers that it cannot represent as texts. */
function points(score: number | string | undefined): string {
  return score === undefined ? '–' : formatNumber(Number(score), { maximumFractionDigits: 1 });
}
