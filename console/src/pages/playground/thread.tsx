import { useLayoutEffect, useRef } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { formatNumber, t } from '../../i18n/index.ts';
import { Markdown } from '../../markdown/markdown.tsx';
import { isTokenCapReached, tokenCapText } from '../../paying/payer.ts';
import { Badge, Banner, Button, Failure, Money } from '../../ui/index.ts';
import { type Column, isRunning, type Reply, type Turn } from './conversation.ts';

interface ThreadProps {
  turns: readonly Turn[];
  columns: readonly Column[];
  /** Asks a column the last message again. */
  onAgain: (column: string) => void;
}

/** The conversation. Screen readers announce a reply when it is complete, not piece by piece. */
export function Thread({ turns, columns, onAgain }: ThreadProps) {
  useFollow(turns);
  if (turns.length === 0) return <p class="empty">{t('playground.empty')}</p>;
  return (
    <ol class="playground-thread" aria-label={t('playground.thread')}>
      {turns.map((turn, at) => (
        <li key={turn.id} class="playground-turn">
          <Said turn={turn} />
          <div class={columns.length > 1 ? 'playground-replies two' : 'playground-replies'}>
            {columns.map((column) => {
              const reply = turn.replies[column.id];
              return (
                reply && (
                  <Replies
                    key={column.id}
                    reply={reply}
                    name={columns.length > 1 ? column.id.toUpperCase() : undefined}
                    onAgain={at === turns.length - 1 ? () => onAgain(column.id) : undefined}
                  />
                )
              );
            })}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** Keeps the page at the end of a growing reply for users who are reading there: before it is painted, so that what is below stays in place. */
function useFollow(turns: readonly Turn[]): void {
  useLayoutEffect(() => {
    const { scrollHeight, clientHeight } = document.documentElement;
    const below = scrollHeight - clientHeight - scrollY;
    if (turns.length > 0 && below < 320) scrollTo({ top: scrollHeight });
  }, [turns]);
}

function Said({ turn: { text, pictures } }: { turn: Turn }) {
  return (
    <div class="playground-said">
      <p class="playground-who">{t('playground.you')}</p>
      {pictures.length > 0 && (
        <div class="playground-pictures">
          {pictures.map(({ name, mediaType, data }) => (
            <img key={name} src={`data:${mediaType};base64,${data}`} alt={name} />
          ))}
        </div>
      )}
      <p class="plain-text">{text}</p>
    </div>
  );
}

interface ReplyCardProps {
  reply: Reply;
  /** The column's name, if there are two. */
  name: string | undefined;
  /** Undefined: it cannot be asked again. */
  onAgain?: (() => void) | undefined;
}

/** A reply, below the earlier attempts at the same message that broke off. */
function Replies({ reply, name, onAgain }: ReplyCardProps) {
  const place = useRef<HTMLDivElement>(null);
  const again = () => {
    // The button disappears with the failed reply: the focus waits where the new reply appears.
    place.current?.focus();
    onAgain?.();
  };
  return (
    <div class="playground-replies" ref={place} tabIndex={-1}>
      {reply.earlier?.map((each) => (
        <ReplyCard key={each.id} reply={each} name={name} replaced />
      ))}
      <ReplyCard key={reply.id} reply={reply} name={name} onAgain={onAgain && again} />
    </div>
  );
}

function ReplyCard({ reply, name, replaced = false, onAgain }: ReplyCardProps & { replaced?: boolean }) {
  const { end, text, reasoning, state, failure } = reply;
  const who = end ? `${end.model}` : t(`playground.state-${state}`);
  return (
    <article class="playground-reply" aria-busy={isRunning(reply)}>
      <header class="playground-who">
        {name && <strong>{name}</strong>} <span>{who}</span>
        {end?.provider && <span class="muted small">{end.provider}</span>}
        {state === 'stopped' && <Badge kind="warning">{t('playground.stopped')}</Badge>}
        {reply.copied && <Badge kind="plain">{t('playground.copied')}</Badge>}
        {replaced && <Badge kind="plain">{t('playground.replaced')}</Badge>}
      </header>
      {reasoning !== '' && (
        <details class="playground-reasoning">
          <summary>{t('playground.reasoning')}</summary>
          <p class="plain-text muted">{reasoning}</p>
        </details>
      )}
      {text !== '' && <Markdown text={text} />}
      {text === '' && isRunning(reply) && <p class="muted">{t('playground.thinking')}</p>}
      {state === 'lost' && <Banner kind="warning" title={t('playground.lost')} />}
      <Ending reply={reply} />
      {failure && <Failure failure={failure} />}
      {text === '' && !isRunning(reply) && !replaced && <p class="muted small">{t('playground.unanswered')}</p>}
      {failure && onAgain && (
        <div class="actions">
          <Button onClick={onAgain}>
            {isTokenCapReached(failure) ? t('playground.allowMore', { amount: tokenCapText() }) : t('playground.again')}
          </Button>
        </div>
      )}
      {!isRunning(reply) && !reply.copied && <Figures reply={reply} />}
      <p class="read-only" role="status">
        {isRunning(reply) ? '' : t('playground.replied')}
      </p>
    </article>
  );
}

/** Why a reply is shorter than it could be. */
function Ending({ reply: { end, chargeId, state } }: { reply: Reply }) {
  if (state === 'stopped' && chargeId === undefined) return <p class="muted">{t('playground.stoppedBefore')}</p>;
  switch (end?.finishReason) {
    case 'credit':
      return (
        <Banner
          kind="danger"
          title={t('playground.endedByCredit')}
          action={
            <Link class="button" href="/credit">
              {t('common.topUp')}
            </Link>
          }
        >
          {t('playground.endedByCreditHelp', { amount: tokenCapText() })}
        </Banner>
      );
    case 'length':
      return <p class="muted">{t('playground.endedByLength')}</p>;
    case 'content_filter':
      return <p class="muted">{t('playground.endedByFilter')}</p>;
    case 'tool_calls':
      return <p class="muted">{t('playground.endedByTools')}</p>;
    default:
      return null;
  }
}

/** A reply's tokens, cost and time, and why it came from that model. */
function Figures({ reply: { end, costUsd, chargeId, firstMs, totalMs, state } }: { reply: Reply }) {
  const { usage, routing } = end ?? {};
  if (costUsd === undefined && chargeId === undefined && usage === undefined) return null;
  return (
    <footer class="playground-reply-figures">
      <dl>
        <Figure name={t('playground.cost')}>
          {costUsd === undefined && state !== 'done' ? t('playground.settling') : <Money usd={costUsd} />}
        </Figure>
        {usage && (
          <>
            <Figure name={t('playground.tokensIn')}>{countText(usage.inputTokens, usage.cachedInputTokens)}</Figure>
            <Figure name={t('playground.tokensOut')}>{countText(usage.outputTokens)}</Figure>
          </>
        )}
        {totalMs !== undefined && <Figure name={t('playground.took')}>{seconds(totalMs)}</Figure>}
        {firstMs !== undefined && <Figure name={t('playground.first')}>{seconds(firstMs)}</Figure>}
      </dl>
      {routing?.reason && (
        <p class="small">
          <span class="muted">{t('playground.why')}</span> <span lang="en">{routing.reason}</span>
        </p>
      )}
      {(routing?.attempts?.length ?? 0) > 1 && (
        <ul class="small">
          {routing?.attempts?.map(({ model, provider, outcome, latencyMs }, index) => (
            <li key={index}>
              {model} ({provider}): {outcome}, {seconds(latencyMs ?? 0)}
            </li>
          ))}
        </ul>
      )}
      {end?.ignored?.map(({ field, reason }) => (
        <p key={field} class="small muted">
          <code>{field}</code> {reason}
        </p>
      ))}
      {usage?.estimated && <p class="small muted">{t('playground.estimated')}</p>}
      {chargeId && (
        <p class="small">
          <Link href={`/charges/${chargeId}`}>{t('playground.charge')}</Link>
        </p>
      )}
    </footer>
  );
}

function Figure({ name, children }: { name: string; children: preact.ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** Unknown is not zero. */
function countText(count: number | undefined, cached?: number): string {
  if (count === undefined) return '–';
  const text = formatNumber(count);
  return cached ? `${text} ${t('playground.cached', { count: cached })}` : text;
}

function seconds(ms: number): string {
  return t('playground.seconds', { seconds: formatNumber(ms / 1_000, { maximumFractionDigits: ms < 10_000 ? 2 : 1 }) });
}
