import { moreRequests } from './more-requests.ts';

/** One request to compare: method and target as they are sent, and a JSON body. */
export interface GatewayRequest {
  request: string;
  body?: string;
}

const values: Record<string, string[]> = {
  text: ['', 'a', 'a b', 'é', '🌍', '%', '"', 'true', '0'],
  int_32: [
    '0',
    '1',
    '-1',
    '2147483647',
    '2147483648',
    '-2147483649',
    '1.0',
    '1.5',
    '1e3',
    '0x10',
    ' 5',
    '+5',
    '01',
    '',
    'x',
  ],
  int_64: ['9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '1e3', '', 'x'],
  uint_32: ['0', '4294967295', '4294967296', '-1', ''],
  uint_64: ['18446744073709551615', '18446744073709551616', '-1'],
  small: ['1.5', '3.4e38', '3.5e38', 'NaN', 'Infinity', '-Infinity', 'x', ''],
  big: ['1.5', '-0.0', '1e308', '1e400', '.5', '5.', 'NaN', 'Infinity', 'inf', '0x1p-2', ''],
  flag: ['true', 'false', '1', '0', 'TRUE', 't', 'yes', ''],
  data: ['AQI=', 'AQI', '-_8=', '+/8=', '!', '', 'A'],
  color: ['HUE_RED', '2', '0', '7', '-1', 'hue_red', 'GREEN', '', '1.5', '2147483648'],
  texts: ['a', ''],
  longs: ['5', 'x'],
  colors: ['HUE_RED', '2', 'GREEN'],
  'inner.id': ['a', ''],
  'inner.value': ['5', 'x'],
  'inner.labels': ['a'],
  inner: ['a'],
  'inner.nothing': ['1'],
  nothing: ['1'],
  choice_text: ['a', ''],
  choice_int: ['5'],
  time: [
    '2026-01-31T12:00:00Z',
    '2026-01-31T12:00:00.123456789Z',
    '2026-01-31T12:00:00+01:00',
    '2026-02-30T00:00:00Z',
    '2026-01-31',
    '0001-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
    '2026-01-31T24:00:00Z',
    '2026-12-31T23:59:60Z',
    'x',
  ],
  'time.seconds': ['5', 'x'],
  'span.seconds': ['5', '-5'],
  span: [
    '1.5s',
    '-1.5s',
    '0s',
    '1s',
    '1.5',
    '1h',
    '1m30s',
    '315576000000s',
    '315576000001s',
    '0.0000000001s',
    's',
    'x',
  ],
  wrapped_text: ['a', ''],
  wrapped_long: ['9007199254740993', 'x'],
  wrapped_flag: ['true', 'x'],
};

const literals: Record<string, string[]> = {
  text: ['""', '"a"', '"\\u00e9"', '"\\ud83c\\udf0d"', '"\\ud800"', 'null', '1', 'true', '["a"]', '{}'],
  int_32: ['0', '"5"', '1.0', '1.5', '1e3', '"1e3"', '2147483648', '" 5"', '""', 'null', 'true', '-0', '01', '"0x10"'],
  int_64: ['9007199254740993', '"9007199254740993"', '9223372036854775808', '1e3', '1.5', 'null'],
  uint_32: ['-1', '4294967295', '4294967296', '"7"'],
  uint_64: ['18446744073709551615', '"18446744073709551615"', '-1'],
  small: ['1.5', '3.5e38', '"NaN"', '"Infinity"', '"x"', 'null'],
  big: ['1.5', '"1.5"', '1e400', '"NaN"', '"-Infinity"', 'NaN', '-0.0', '.5', '5.'],
  flag: ['true', 'false', '"true"', '1', 'null'],
  data: ['"AQI="', '"AQI"', '"-_8="', '"!"', 'null', '5', '"A"'],
  color: ['"HUE_RED"', '2', '7', '"GREEN"', '"2"', 'null', '1.0', '-1', 'true'],
  inner: ['{}', '{"id":"a","value":5,"labels":["x","y"]}', 'null', '"a"', '[]', '{"nothing":1}', '{"id":"a","id":"b"}'],
  texts: ['[]', '["a","b"]', '"a"', '[null]', 'null', '[1]'],
  longs: ['[1,"2",3.0]', '["x"]'],
  colors: ['["HUE_RED",2]', '["GREEN"]'],
  parts: ['[{},{"id":"a"}]', '[null]', '{}'],
  labels: ['{"a":"b"}', '{"a":null}', '{"a":1}', '[]', '{"a":"b","a":"c"}', '{"__proto__":"x"}'],
  by_number: ['{"1":{"id":"a"}}', '{"x":{}}', '{"01":{}}', '{"1":null}'],
  choice_text: ['"a"', '""', 'null', '"a","choice_int":5'],
  time: [
    '"2026-01-31T12:00:00Z"',
    '"2026-01-31T12:00:00.5+01:00"',
    '"2026-02-30T00:00:00Z"',
    '5',
    '"x"',
    'null',
    '"0000-01-01T00:00:00Z"',
    '{"seconds":5}',
    '"2026-01-31t12:00:00z"',
  ],
  span: ['"1.5s"', '"-1.5s"', '"315576000000s"', '"315576000001s"', '"1.5"', '5', 'null', '"1.5sx"', '"1h"'],
  wrapped_text: ['"a"', '""', 'null', '5', '{"value":"a"}'],
  wrapped_long: ['5', '"9007199254740993"', 'null', '"x"'],
  wrapped_flag: ['true', 'false', 'null', '"true"'],
  object: ['{}', '{"a":[1,null,{"b":"c"}]}', 'null', '[]', '5', '{"a":1e400}'],
  value: ['null', '5', '"a"', '[1,"x"]', '{"a":1}', '1e400', 'true'],
  nothing: ['1'],
};

const camel = (name: string) => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const queries = Object.entries(values).flatMap(([name, texts]) =>
  texts.map((text) => ({ request: `GET /v1/echo?${name}=${encodeURIComponent(text)}` })),
);

const bodies = Object.entries(literals).flatMap(([name, texts]) =>
  texts.map((text) => ({ request: 'POST /v1/echo', body: `{"${name}":${text}}` })),
);

const spellings = ['int_32', 'choice_text', 'wrapped_long', 'by_number'].flatMap((name) => [
  { request: `GET /v1/echo?${camel(name)}=5` },
  { request: 'POST /v1/echo', body: `{"${camel(name)}":${name === 'by_number' ? '{}' : '"5"'}}` },
]);

const paths = [
  ...[
    'shelves/1/books/2',
    'shelves/1/books',
    'shelves/1/books/2/3',
    'shelves//books/2',
    'shelves/1/books/2/',
    'shelves/a%20b/books/c',
  ].map((path) => `/v1/names/${path}`),
  ...['a', 'a/b/c', 'a%20b/c', '', 'a/', 'a//b'].map((path) => `/v1/files/${path}`),
  ...['a', 'a%20b', 'a+b', '%C3%A9', 'a:b', 'a:', '%41', 'a%2Bb', '%zz', '', '.', '%25'].map(
    (path) => `/v1/items/${path}`,
  ),
  ...[
    '1/2/3/4',
    '-1/-2/3/4',
    '1/9007199254740993/3/18446744073709551615',
    '1/2/-3/4',
    'x/2/3/4',
    '1.5/2/3/4',
    '2147483648/2/3/4',
    '1/2/3',
  ].map((path) => `/v1/numbers/${path}`),
  ...[
    '1.5/2.5/true',
    '1.5/2.5/false',
    '1/1e308/true',
    'NaN/Infinity/true',
    'x/1/true',
    '1/1/yes',
    '1/1/1',
    '1/1/TRUE',
  ].map((path) => `/v1/floats/${path}`),
  ...['HUE_RED', '2', '7', 'GREEN', 'hue_red', '-1'].map((path) => `/v1/colors/${path}`),
  ...['a', 'a?inner.value=5', 'a?int_32=5', 'a?inner.id=a', 'a?inner.labels=x&inner.labels=y'].map(
    (path) => `/v1/inner/${path}`,
  ),
  ...[
    '/v1/items/a?text=a',
    '/v1/items/a?int_32=5&texts=x&texts=y',
    '/v1/nothing',
    '/v1',
    '/v1/echo/',
    '/V1/echo',
    '/v1/ech%6F',
    '/v1/echo?',
    '/v1/echo?&&',
    '/v1/echo?text=a+b',
    '/v1/echo?text',
    '/v1/echo?text=a&text=b',
    '/v1/echo?texts=a&texts=b&colors=1&colors=HUE_BLUE',
    '/v1/echo?int_32=1&int32=2',
    '/v1/echo?choice_text=a&choice_int=5',
  ],
].map((path) => ({ request: `GET ${path}` }));

const methods: GatewayRequest[] = [
  ...[
    'POST /v1/items/a:start',
    'POST /v1/items/a%20b:start',
    'POST /v1/items/a:b:start',
    'POST /v1/items/a:stop',
    'POST /v1/items/a:%73tart',
    'POST /v1/items/a',
    'PATCH /v1/echo',
  ].map((request) => ({ request, body: '{"int_32":5}' })),
  { request: 'DELETE /v1/items/a' },
  { request: 'DELETE /v1/items/a?int_32=5' },
  { request: 'GET /v1/items/a:start' },
  ...['{"id":"x","value":5}', '{}', 'null', '{"id":', '[]'].map((body) => ({
    request: 'PUT /v1/items/a?int_32=7',
    body,
  })),
  { request: 'PUT /v1/items/a?inner.id=z', body: '{"id":"x"}' },
  { request: 'POST /v1/items/a:start', body: '{"text":"b"}' },
  { request: 'POST /v1/items/a:start', body: '{"text":"a"}' },
  { request: 'POST /v1/echo?text=a', body: '{}' },
  ...[
    '{}',
    ' {} ',
    '[]',
    'null',
    '5',
    '"a"',
    '{',
    '{}x',
    '{} {}',
    '{"text":"a",}',
    "{'text':'a'}",
    '{"text":"a" "int_32":5}',
    '{"int_32":1,"int32":2}',
    '\ufeff{}',
  ].map((body) => ({ request: 'POST /v1/echo', body })),
];

export const nameOf = ({ request, body }: GatewayRequest): string =>
  body === undefined ? request : `${request} ${body}`;

const all = [...queries, ...bodies, ...spellings, ...paths, ...methods, ...moreRequests];

/** Each request once. */
export const gatewayRequests: readonly GatewayRequest[] = [
  ...new Map(all.map((each) => [nameOf(each), each])).values(),
];
