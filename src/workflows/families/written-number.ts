/** Which sign separates decimals in a column; undefined if its texts do not show it, or show both. */
export type DecimalSign = '.' | ',' | undefined;

export type WrittenNumber =
  | { kind: 'number'; value: number }
  /** 12,400 is twelve thousand to some and twelve to others. */
  | { kind: 'ambiguous'; readings: readonly [string, string] }
  | { kind: 'none' };

const lengthMax = 100;
const oneGroup = /^[+-]?[1-9]\d{0,2}([.,])\d{3}$/;
const grouped = /^[+-]?[1-9]\d{0,2}([.,' ])\d{3}(?:\1\d{3})*(?:(?!\1)([.,])\d+)?$/;
const decimal = /^[+-]?\d+([.,])\d+$/;

/** The sign that texts of a column use for decimals, as far as they are unambiguous. */
export function decimalSignOf(texts: readonly string[]): DecimalSign {
  const signs = new Set(texts.map((text) => signOf(plain(text))).filter((sign) => sign !== undefined));
  return signs.size === 1 ? [...signs][0] : undefined;
}

/** Reads a number with or without separators; nothing else may stand beside it. */
export function readNumber(written: string, sign: DecimalSign): WrittenNumber {
  const text = plain(written);
  if (text === '' || text.length > lengthMax) return { kind: 'none' };
  const used = oneGroup.test(text) ? sign : signOf(text);
  if (oneGroup.test(text) && used === undefined) {
    const part = text.replace(',', '.').replace(/0+$/, '').replace(/\.$/, '');
    return { kind: 'ambiguous', readings: [text.replace(/[.,]/, ''), part] };
  }
  const digits = grouped.test(text) || decimal.test(text) ? withoutGroups(text, used) : text;
  const value = Number(digits);
  return Number.isFinite(value) ? { kind: 'number', value } : { kind: 'none' };
}

function plain(text: string): string {
  return text.trim().replace(/\s/gu, ' ').replace(/’/g, "'");
}

/** The sign of decimals that a text shows by itself. */
function signOf(text: string): DecimalSign {
  if (oneGroup.test(text)) return undefined;
  const groups = grouped.exec(text);
  if (groups) {
    const [, group, after] = groups;
    if (after !== undefined) return after as DecimalSign;
    // Groups of thousands leave the other sign for decimals. Blanks and apostrophes show nothing.
    return group === '.' ? ',' : group === ',' ? '.' : undefined;
  }
  return decimal.exec(text)?.[1] as DecimalSign;
}

function withoutGroups(text: string, sign: DecimalSign): string {
  const [whole = '', part] = sign === undefined ? [text] : text.split(sign);
  const digits = whole.replace(/[.,' ]/g, '');
  return part === undefined ? digits : `${digits}.${part}`;
}
