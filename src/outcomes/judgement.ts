/** How a request was judged, small enough to keep one for each: no text of the caller's, and nobody's name. */
export interface Judgement {
  family: string;
  /** The names and versions of the rules. */
  pack: string;
  /** 0-100; undefined if the family gives none. */
  score: number | undefined;
  /** The family's term for the score: a risk level, a rating, `ready` or `not_ready`. Empty: none. */
  level: string;
  checks: readonly JudgedCheck[];
}

export interface JudgedCheck {
  id: string;
  /** `error` counts as failed, as it does in judging. */
  outcome: 'passed' | 'failed' | 'skipped';
  weight: number;
}

const packMax = 500;
const checksBytesMax = 7_000;
const named = /^[\w.:-]{1,96}$/;
const letters = { passed: 'p', failed: 'f', skipped: 's' } as const;
const outcomes = { p: 'passed', f: 'failed', s: 'skipped' } as const;

/**
 * A judgement as at most 8,192 bytes of ASCII. Checks whose ids are not plain names are omitted, as are the last ones if there
 * are too many.
 */
export function encodeJudgement({ family, pack, score, level, checks }: Judgement): string {
  let bytes = 0;
  const kept: string[] = [];
  for (const { id, outcome, weight } of checks) {
    if (!named.test(id)) continue;
    const line = `${id}=${letters[outcome]}${Math.round(weight * 1_000) / 1_000}`;
    bytes += line.length + 1;
    if (bytes > checksBytesMax) break;
    kept.push(line);
  }
  return JSON.stringify({ f: family, p: ascii(pack, packMax), s: score, l: ascii(level, 40), c: kept.join(' ') });
}

/**
 * Decodes a judgement; undefined if the text is not one. `known`: the checks of judgements that are kept together, to which
 * new ones are added, so that equal checks share one object: at hundreds of bytes each, they would come to many megabytes.
 */
export function decodeJudgement(text: string, known: Map<string, JudgedCheck> = new Map()): Judgement | undefined {
  try {
    const { f, p, s, l, c } = JSON.parse(text) as Record<'f' | 'p' | 'l' | 'c', string> & { s?: number };
    const checks = c === '' ? [] : c.split(' ').map((line) => known.get(line) ?? checkOf(line, known));
    return { family: f, pack: p, score: s, level: l, checks };
  } catch {
    return undefined;
  }
}

function checkOf(line: string, known: Map<string, JudgedCheck>): JudgedCheck {
  // A copy: a slice of a string keeps the whole string in memory.
  const own = Buffer.from(line, 'latin1').toString('latin1');
  const at = own.lastIndexOf('=');
  const letter = own[at + 1] as keyof typeof outcomes;
  const check = { id: own.slice(0, at), outcome: outcomes[letter], weight: Number(own.slice(at + 2)) };
  known.set(own, check);
  return check;
}

function ascii(text: string, max: number): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, max);
}
