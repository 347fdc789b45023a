import { Badge } from '../../ui/index.ts';
import { type Finding, piecesOf } from './reply.ts';

/** A text with its risky phrases marked, and below it why each is one. */
export function MarkedText({ text, findings }: { text: string; findings: readonly Finding[] }) {
  return (
    <>
      <p class="workflows-marked">
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
            <Badge kind={severityKind(severity)}>{severity}</Badge> <strong>{phrase}</strong>{' '}
            <span class="muted">{category}</span> {reason} {suggestion}
          </li>
        ))}
      </ul>
    </>
  );
}

/** How bad it is, as the kit's tones have it. */
export function severityKind(severity: string): 'danger' | 'warning' | 'good' | 'plain' {
  if (severity === 'critical' || severity === 'high') return 'danger';
  if (severity === 'medium') return 'warning';
  return severity === 'low' ? 'good' : 'plain';
}
