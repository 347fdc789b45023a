import type { GatewayRequest } from './requests.ts';

const echo = (body: string): GatewayRequest => ({ request: 'POST /v1/echo', body });
const get = (target: string): GatewayRequest => ({ request: `GET ${target}` });

// Numbers as their writers might have them, in each type that reads them: of a body bare and in quotes, in queries and in paths.
const numbers = [
  ...[
    '-0',
    '00',
    '0.0',
    '5e0',
    '50e-1',
    '5E0',
    '5e+0',
    '0.5e1',
    '1e-1',
    '1e',
    '1e+',
    '-',
    '+1',
    '1.',
    '.1',
    '0b1',
    '0o7',
  ],
  ...['1_000', '1,000', '1n', '1f', '٣', '- 1', '--1', 'NaN', 'nan', 'Infinity', '-Infinity', 'inf', '1e19', '-1e19'],
  ...['9223372036854775807.0', '9223372036854775808', '-9223372036854775809', '18446744073709551615.5', '4294967295.0'],
];
const numeric = ['int_32', 'int_64', 'uint_32', 'uint_64', 'big'];
const numberRequests = numbers.flatMap((number) => [
  ...numeric.map((name) => echo(`{"${name}":${number}}`)),
  ...['int_64', 'uint_64'].map((name) => echo(`{"${name}":${JSON.stringify(number)}}`)),
  ...['int_32', 'uint_64', 'small'].map((name) => get(`/v1/echo?${name}=${encodeURIComponent(number)}`)),
]);

// What stands in a message that stands in another: elements, map entries, messages of a list.
const texts = [
  '"a"',
  '""',
  'null',
  '1',
  'true',
  '[]',
  '{}',
  '"\\ud83c\\udf0d"',
  '"\\udf0d"',
  '"\\ud83ca"',
  '"\\u0000"',
];
const integers = ['0', '"5"', '1.0', '1.5', '2147483648', 'null', 'true', '"x"', '""', '[]', '{}'];
const nested = [
  ...texts.flatMap((text) => [
    ...[`{"inner":{"id":${text}}}`, `{"texts":["a",${text}]}`, `{"labels":{"a":${text}}}`],
    ...[`{"parts":[{"labels":[${text}]}]}`, `{"object":{"a":${text}}}`, `{"value":[${text}]}`],
  ]),
  ...integers.flatMap((integer) => [
    ...[`{"inner":{"value":${integer}}}`, `{"by_number":{"1":{"value":${integer}}}}`, `{"longs":[${integer}]}`],
    ...[`{"colors":[${integer}]}`, `{"wrapped_long":${integer}}`, `{"choice_int":${integer}}`],
  ]),
  ...['-1', '2147483648', '1.0', '1e0', '', ' 1', 'true', '-0'].map((key) => `{"by_number":{"${key}":{}}}`),
].map(echo);

// The text itself: blanks, escapes, names, literals, ends.
const syntax = [
  ...['\t{}', '\n{}\r\n', '\v{}', '\f{}', '\u00a0{}', '{}\u0000', '{}//', '/**/{}', '{"text":"a"/**/}', '[{}]', '{{}}'],
  ...[
    '{"text"}',
    '{"text":}',
    '{"text" "a"}',
    '{"text"::"a"}',
    '{"text":"a",,"int_32":1}',
    '{,}',
    '{:}',
    '{"text":"a"]',
  ],
  ...['{text:"a"}', '{"text":a}', '{"text":"a}', '{"text":"a', '{"text":"a"', '}', ']', 'true', 'false', '"', 'nul'],
  ...['\\"', '\\\\', '\\/', '\\b', '\\f', '\\n', '\\r', '\\t'].map((text) => `{"text":"${text}"}`),
  ...['\\a', '\\x41', "\\'", '\\u', '\\u12', '\\u12g4', '\\U0041', '\\0', '\n', '\t', '\u0001', '\u007f', '\u2028'].map(
    (text) => `{"text":"${text}"}`,
  ),
  ...['\\u0074ext', 'Text', 'TEXT', ' text', 'text ', '', 'te\\u0078t', '$typeName', '@type', 'toString'].map(
    (name) => `{"${name}":"a"}`,
  ),
  ...['True', 'FALSE', 'yes', '"false"', '"1"', '"', '[true]', '0', 'undefined'].map((flag) => `{"flag":${flag}}`),
  ...['{"nothing":null}', '{"text":null,"text":"a"}', '{"inner":null,"inner":{}}', '{"inner":{"inner":{}}}'],
  ...['{"choice_text":"a","choiceText":"b"}', '{"choice_text":"a","choice_int":null}', '{"texts":["a"],"texts":["b"]}'],
  ...[1, 9, 60].map((depth) => `{"value":${'['.repeat(depth)}${']'.repeat(depth)}}`),
].map(echo);

const times = [
  ...[
    '2026-01-31T12:00:00',
    '2026-01-31 12:00:00Z',
    '2026-01-31T12:00Z',
    '2026-01-31T12:00:00.Z',
    '2026-1-31T12:00:00Z',
  ],
  ...['2026-01-31T12:00:00.1234567891Z', '2026-01-31T12:00:00,5Z', '2026-01-31T12:60:00Z', '2026-13-01T00:00:00Z'],
  ...['2024-02-29T00:00:00Z', '2026-02-29T00:00:00Z', '2026-01-31T12:00:00+24:00', '2026-01-31T12:00:00-00:00'],
  ...['2026-01-31T12:00:00+0100', '0000-12-31T23:59:59Z', '10000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z'],
  ...['', ' 2026-01-31T12:00:00Z', '2026-01-31T12:00:00z', '1970-01-01T00:00:00+14:00', '0001-01-01T00:00:00+01:00'],
];
const spans = [
  ...['', '1', '-1s', '+1s', '1.s', '.5s', '1.0s', '1.123456789s', '1.1234567891s', '1e3s', '0x1s', ' 1s', '1 s', '1S'],
  ...[
    '1ms',
    '1us',
    '1m',
    '-0s',
    '-0.5s',
    '--1s',
    '315576000000.0s',
    '-315576000000s',
    '-315576000001s',
    '00001s',
    'infs',
  ],
];
const known = [
  ...times.flatMap((time) => [echo(`{"time":"${time}"}`), get(`/v1/echo?time=${encodeURIComponent(time)}`)]),
  ...spans.flatMap((span) => [echo(`{"span":"${span}"}`), get(`/v1/echo?span=${encodeURIComponent(span)}`)]),
];

const bytes = [
  '',
  '=',
  '==',
  'AA',
  'AA=',
  'AA==',
  'AAA',
  'AAA=',
  'AAAA',
  'AAAA=',
  'AB==',
  'A A=',
  'AA\\n==',
  '-_-_',
  '+/+/',
  '+_',
  'é',
];
const base64 = bytes.flatMap((text) => [
  echo(`{"data":"${text}"}`),
  get(`/v1/echo?data=${encodeURIComponent(text.replace('\\n', '\n'))}`),
]);

const targets = [
  ...[
    'a%2Fb',
    'a%2fb',
    '%2F',
    '%2e%2e',
    '..',
    '%20',
    '+',
    '%2B',
    '%00',
    '%',
    '%a',
    '%GG',
    '%FF',
    '%C3',
    'a;b',
    'a=b',
    'a&b',
  ],
  ...[
    'a,b',
    '(a)',
    '*',
    '**',
    '{text}',
    '~',
    '!',
    '$',
    "'",
    '@',
    'a:start',
    'a%3Astart',
    ':',
    '::',
    ':start',
    'a?',
    'a??x',
  ],
].flatMap((segment) => [`/v1/items/${segment}`, `/v1/files/a/${segment}`, `/v1/names/shelves/${segment}/books/b`]);
const queries = [
  ...[
    'text=a;b',
    'text=a%3Bb',
    'text=a&',
    '&text=a',
    'text=a&&int_32=1',
    '=a',
    'text==a',
    'text=a=b',
    'text=%26',
    'text=%3D',
  ],
  ...[
    'text=%00',
    'text=%FF',
    'text=%C3',
    'text=%',
    'text=%a',
    'te%78t=a',
    'Text=a',
    'text=a#b',
    'text=a?b',
    'text=a%2Bb',
  ],
  ...[
    'texts=a,b',
    'texts=',
    'texts',
    'texts[]=a',
    'texts[0]=a',
    'longs=1&longs=x',
    'longs=1,2',
    'colors=HUE_RED,HUE_BLUE',
  ],
  ...[
    'inner=',
    'inner={}',
    'inner.=a',
    '.inner=a',
    'inner..id=a',
    'inner.id.x=a',
    'inner[id]=a',
    'inner.labels=a&inner.labels=b',
  ],
  ...[
    'parts=a',
    'parts.id=a',
    'labels=a',
    'labels[a]=b',
    'labels.a=b',
    'by_number[1]=a',
    'object=a',
    'value=a',
    'time=&span=',
  ],
  ...[
    'choice_text=a&choice_text=b',
    'choice_int=1&choice_text=',
    'wrapped_text.value=a',
    'wrapped_flag=',
    'flag',
    'int_32',
  ],
  ...['time.nanos=5', 'time.seconds=1&time.nanos=5', 'span.nanos=-5', 'time.nothing=1', 'time=x&time.seconds=1'],
].map((query) => `/v1/echo?${query}`);

const bodiless = [
  ...[
    'POST /v1/echo',
    'PUT /v1/items/a',
    'POST /v1/items/a:start',
    'PUT /v1/echo',
    'PATCH /v1/items/a',
    'DELETE /v1/echo',
  ],
  ...[
    'OPTIONS /v1/echo',
    'POST /v1/names/shelves/1/books/2',
    'PUT /v1/items/',
    'DELETE /v1/items/a:start',
    'DELETE /v1/items/',
  ],
].map((request) => ({ request }));

/** Numbers, nested values, the text of JSON, times, bytes, escapes of targets: where two readers of one contract part ways. */
export const moreRequests: readonly GatewayRequest[] = [
  ...[...numberRequests, ...nested, ...syntax, ...known, ...base64],
  ...[...targets, ...queries].map(get),
  ...bodiless,
];
