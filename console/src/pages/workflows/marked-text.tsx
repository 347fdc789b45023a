import { Badge } from '../../ui/index.ts';
import { type Finding, piecesOf } from './reply.ts';

interface MarkedTextProps {
  text: string;
  findings: readonly Finding[];
  /** The language of the reasons; empty: unknown. */
  lang: string;
  /** The language of the text; the page's when unset. */
  textLang?: string | undefined;
}

/** A text with its risky phrases marked, and the reason for each below it. */
export function MarkedText({ text, findings, lang, textLang }: MarkedTextProps) {
  return (
    <>
      <p class="workflows-marked" lang={textLang}>
        {piecesOf(text, findings).map(({ text: piece, finding }, index) =>
          finding ? (
            <mark
              key={index}
              class={severityKind(finding.severity ?? '')}
              title={`${finding.category}: ${finding.reason}`}
            >
              {piece}
            </mark>
          ) : (
            piece
          ),
        )}
      </p>
      <ul class="workflows-list">
        {findings.map(({ phrase, category, severity = '', reason, suggestion }, index) => (
          <li key={index}>
            <span lang="en">
              <Badge kind={severityKind(severity)}>{severity}</Badge>
            </span>{' '}
            <strong>{phrase}</strong>{' '}
            <span class="muted" lang="en">
              {category}
            </span>{' '}
            <span lang={lang}>
              {reason} {suggestion}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The severity as a tone of the UI kit. */
export function severityKind(severity: string): 'danger' | 'warning' | 'good' | 'plain' {
  if (severity === 'critical' || severity === 'high') return 'danger';
  if (severity === 'medium') return 'warning';
  return severity === 'low' ? 'good' : 'plain';
}
