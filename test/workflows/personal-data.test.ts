import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Detected, detect } from '../../src/workflows/text/detect.ts';

const found = (text: string) => detect(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);
const only = (kind: Detected['kind'], text: string) => [[kind, text]];

describe('what stands around a number does not hide it', () => {
  const card = '4111 1111 1111 1111';
  test.each([
    `${card} 12/28`,
    `${card} 12/28 123`,
    `${card} 123`,
    `${card} 1228`,
    `2024 ${card}`,
    `1. ${card}`,
    `${card}\n12/28\n123`,
    `(${card})`,
    `No${card}`,
  ])('of a card: %s', (text) => expect(found(text)).toEqual(only('card', card)));

  test('of a card without groups', () => {
    for (const text of [
      '4111111111111111 12/28',
      '4111111111111111.0',
      '卡号4111111111111111。',
      '카드 4111111111111111입니다',
    ])
      expect(found(text), text).toEqual(only('card', '4111111111111111'));
  });

  test('of a card beside other cards', () => {
    const cards = [card, '5500 0000 0000 0004', '3782 822463 10005'];
    expect(found(cards.join(' '))).toEqual(cards.map((one) => ['card', one]));
    expect(found(cards.join('\n'))).toEqual(cards.map((one) => ['card', one]));
  });

  test('of an account, or a telephone', () => {
    const iban = 'DE89 3704 0044 0532 0130 00';
    for (const text of [`${iban} BIC COBADEFFXXX`, `IBAN ${iban} 12`, `账号${iban}。`, `${iban}\nBLZ 370`])
      expect(found(text), text).toEqual(only('iban', iban));
    expect(found(`${iban} 0171 1234567`)).toEqual([...only('iban', iban), ...only('phone', '0171 1234567')]);
    expect(found(`${card} 0171 1234567`)).toEqual([...only('card', card), ...only('phone', '0171 1234567')]);
  });
});

test.each([
  '4111-1111-1111-1111',
  '4111.1111.1111.1111',
  '4111/1111/1111/1111',
  '4111_1111_1111_1111',
  '4111 • 1111 • 1111 • 1111',
  '4111\t1111\t1111\t1111',
  '4111|1111|1111|1111',
  '4111` `1111` `1111` `1111',
  '4111][1111][1111][1111',
  '4111 1111\n> 1111 1111',
  '4111 1111\n1111 1111',
  '4111 1111\r\n  1111 1111',
  '4111\n1111\n1111\n1111',
  '4111 1111 1111 1111 110',
  '41111111 11111111',
  '41 1111 1111 1111 11',
  '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
  '4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1',
  '3782 822463 10005',
  '3056\n930902\n5904',
  '6011000990139424',
  '6200 0000 0000 0000 000',
])('a card, however it is divided: %j', (text) => expect(found(text)).toEqual(only('card', text)));

test.each([
  'DE89370400440532013000',
  'de89370400440532013000',
  'DE 89 3704 0044 0532 0130 00',
  'DE89-3704-0044-0532-0130-00',
  'DE89.3704.0044.0532.0130.00',
  'DE89 3704 0044\n0532 0130 00',
  'DE89\t3704\t0044\t0532\t0130\t00',
  'GB82 WEST 1234 5698 7654 32',
  'NO93 8601 1117 947',
  'MT84 MALT 0110 0001 2345 MTLC AST0 01S',
])('an account, however it is divided: %j', (text) => expect(found(text)).toEqual(only('iban', text)));

/** Numbers that people and programs write all day; the long ones have a valid check digit, as a card has. */
const harmless: Readonly<Record<string, string>> = {
  'an order number': 'Your order ORD4539578763621486 is on its way.',
  'a code that ends with letters': 'Article 4539578763621486X is sold out.',
  'milliseconds since 1970': '{"at": 1732585600007, "until": 1732585600015}',
  'a day and a time': 'backup-20241126153044, 20241126153051',
  'seconds with a fraction': 'ts=1732585600.123452',
  fractions: '[0.4539578763621486, -0.4111111111111111, 1.234567890123452]',
  'a French company': 'SIRET 73282932000074',
  'a SIM': 'ICCID 8944500102198304826',
  'a telephone’s hardware': 'IMEI 490154203237518',
  'a period': 'From 30.12.2024 - 2.1.2025, and 5.12.2024 – 6.1.2025',
  years: 'In 2021 2022 2023 2024 it grew.',
  prices: 'EUR 1,234,567.89, 12.000.000 and 1.299,00',
  'sums of four digits': 'They cost 4111, 1111, 1111, 1111.',
  'a column of numbers': '4111\n1111\n1111\n1111\n2040\n3070\n4280',
  'a column between others': 'Mon 4111\nTue 1111\nWed 1111\nThu 1111',
  'a table': '4111\t1111\t1111\t1111\n4111\t1111\t1111\t1112\n2040\t3070\t4280\t1999',
  'a table in Markdown': '| 4111 | 1111 | 1111 | 1111 |\n| 2040 | 3070 | 4280 | 1999 |\n| 4111 | 1111 | 1111 | 1111 |',
  'a row with a name': 'Revenue\t4111\t1111\t1111\t1111',
  'a row with a name in Markdown': '| Revenue | 4111 | 1111 | 1111 | 1111 |',
  'a list': '- 4111\n- 1111\n- 1111\n- 1111',
  'cells between semicolons': '4111;1111;1111;1111',
  'a column of two long numbers': '41111111\n11111111',
  'a card with a wrong digit': '4111 1111 1111 1112',
  'an account with a wrong digit': 'DE89 3704 0044 0532 0130 01',
  'an account of no country': 'XX89 3704 0044 0532 0130 00',
  'Spanish before a number': 'Un grupo de 20 personas y 12 345 perros',
  'a version and an address': 'v10.15.7 on 192.168.100.200',
  'a VAT number': 'FR12 345 678 901',
  'a number before a full stop, and a sum after it': 'SIRET 812 345 678 00019. 1 200 €',
  'a breeder’s licence': 'Licensed breeder no LN/2023/0118. Five star homes only.',
  'a permit with hyphens': 'Permiso VT-2021/00457, en regla.',
};

test.each(Object.entries(harmless))('%s is nobody’s number', (_what, text) => expect(found(text)).toEqual([]));

test('tables of random numbers are not cards', () => {
  let seed = 11;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  let alarms = 0;
  for (let round = 0; round < 1_000; round++) {
    const columns = 1 + random(6);
    const rows = Math.ceil(10 / columns) + random(8);
    const row = () => Array.from({ length: columns }, () => 1_000 + random(9_000)).join('\t');
    alarms += detect(Array.from({ length: rows }, row).join('\n')).length;
  }
  expect(alarms).toBeLessThanOrEqual(1);
});

test('a card is found at any place of a table that goes on for long', () => {
  const row = '17 23 170 ';
  for (const rows of [300, 333, 334, 400, 1_000]) {
    const text = `${row.repeat(rows)}4111 1111 1111 1111 ${row.repeat(rows)}`;
    const at = row.length * rows;
    expect(detect(text).filter(({ kind }) => kind === 'card')).toEqual([{ kind: 'card', start: at, end: at + 19 }]);
  }
});

describe('disguised characters are read as what they stand for', () => {
  const card = '4111 1111 1111 1111';
  const iban = 'DE89 3704 0044 0532 0130 00';
  const email = 'ann.lee@shop.example';
  const phone = '+49 170 1234567';
  const digitsFrom = (zero: number) => (text: string) =>
    text.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)));
  const joinedBy = (between: string) => (text: string) => [...text].join(between);
  const fullWidth = (text: string) =>
    text.replace(/[!-~]/g, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0)).replaceAll(' ', '\u3000');

  const ofAll: Readonly<Record<string, (text: string) => string>> = {
    'zero-width spaces': joinedBy('\u200b'),
    'zero-width non-joiners': joinedBy('\u200c'),
    'zero-width joiners': joinedBy('\u200d'),
    'word joiners': joinedBy('\u2060'),
    'byte order marks': joinedBy('\ufeff'),
    'soft hyphens': joinedBy('\u00ad'),
    'marks of direction': joinedBy('\u200e\u202d\u2066'),
    'combining grapheme joiners': joinedBy('\u034f'),
    'fillers of Hangul': joinedBy('\u3164'),
    'selectors of variants': joinedBy('\u{e0101}'),
    tags: joinedBy('\u{e0041}'),
    'control characters': joinedBy('\u0001'),
    strokes: joinedBy('\u0336'),
    'full width': fullWidth,
  };
  const ofDigits: Readonly<Record<string, (text: string) => string>> = {
    'Arabic digits': digitsFrom(0x660),
    'Persian digits': digitsFrom(0x6f0),
    'Devanagari digits': digitsFrom(0x966),
    'Thai digits': digitsFrom(0xe50),
    'bold digits': digitsFrom(0x1d7ce),
    'monospaced digits': digitsFrom(0x1d7f6),
    'segmented digits': digitsFrom(0x1fbf0),
    'Adlam digits': digitsFrom(0x1e950),
    'lowered digits': digitsFrom(0x2080),
    'raised digits': (text) => text.replace(/\d/g, (digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)] ?? ''),
    'circled digits': (text) => text.replace(/\d/g, (digit) => '⓪①②③④⑤⑥⑦⑧⑨'[Number(digit)] ?? ''),
    keycaps: (text) => text.replace(/\d/g, '$&\ufe0f\u20e3'),
  };

  test.each(Object.entries(ofAll))('%s', (_name, disguised) => {
    for (const [kind, plain] of Object.entries({ card, iban, email, phone })) {
      const written = disguised(plain);
      expect(found(`Here: ${written}, or not.`), kind).toEqual([[kind, written]]);
    }
  });

  test.each(Object.entries(ofDigits))('%s', (_name, disguised) => {
    for (const [kind, plain] of Object.entries({ card, phone })) {
      const written = disguised(plain);
      expect(found(`Hier 🌍 é: ${written}, or not.`), kind).toEqual([[kind, written]]);
    }
  });

  test('also mixed, and only as far as the number goes', () => {
    const mixed = '4１𝟏١ 1\u200b1१1 111\u00ad1 111\u{1d7f7}';
    expect(found(`\u200b${mixed}\u200b, and 🌍`)).toEqual([['card', mixed]]);
    expect(found(`a＠b．example\u200b\u200b`)).toEqual([['email', 'a＠b．example']]);
  });

  test('an address has accents, however they are written', () => {
    for (const address of ['josé@shop.example', 'jose\u0301@shop.example'])
      expect(found(`To ${address}.`)).toEqual([['email', address]]);
  });

  test('all decimal digits of Unicode have their value', () => {
    const digits = Array.from({ length: 0x110000 }, (_, point) => point)
      .filter((point) => (point < 0xd800 || point > 0xdfff) && /^\p{Nd}$/u.test(String.fromCodePoint(point)))
      .map((point) => String.fromCodePoint(point));
    expect(digits.length).toBeGreaterThan(600);
    // Each script's are in order, from zero.
    for (let zero = 0; zero < digits.length; zero += 10) {
      const [none, one, , , four] = digits.slice(zero, zero + 10);
      const number = card.replaceAll('4', four ?? '').replaceAll('1', one ?? '');
      expect(found(number), JSON.stringify(none)).toEqual(only('card', number));
    }
  });

  test('numbers of notes and powers belong to no number', () => {
    expect(found(`${card}² and 12 m² 4111111111111111¹.`)).toEqual([
      ...only('card', card),
      ...only('card', '4111111111111111'),
    ]);
    expect(found('① Bread ② Milk ③ Eggs, 10² km², H₂O, x₁ x₂ x₃')).toEqual([]);
  });

  test('text of any characters is read in bounds', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 60 }),
        fc.string({ unit: 'binary', maxLength: 60 }),
        (a, b) => {
          for (const { start, end } of detect(`${a} ${card}\ud800${b}`)) {
            expect(start).toBeLessThan(end);
            expect(end).toBeLessThanOrEqual(a.length + b.length + card.length + 2);
          }
        },
      ),
    );
  });

  test('plain text costs nothing, and others little', () => {
    const cpuMsOf = (text: string) => {
      detect(text);
      const begun = process.cpuUsage();
      for (let round = 0; round < 5; round++) detect(text);
      const { user, system } = process.cpuUsage(begun);
      return (user + system) / 5_000;
    };
    expect(cpuMsOf('Größe und Preis sind gut, señor, à bientôt. '.repeat(6_000))).toBeLessThan(20);
    expect(cpuMsOf(`${'4\u200b1'.repeat(80_000)}`)).toBeLessThan(200);
  });
});
