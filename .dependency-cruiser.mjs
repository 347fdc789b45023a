// Floors: a file imports from its own floor's room or from a floor below, never upward. See docs/architecture.md.
const floors = [
  { rooms: ['config', 'base', 'gen'], floor: 0 },
  { rooms: ['db'], floor: 1 },
  {
    rooms: [
      'wallet',
      'keys',
      'tokens',
      'limits',
      'catalog',
      'providers',
      'provider-keys',
      'accounts',
      'audit-events',
      'webhooks',
      'sandbox',
      'outcomes',
      'idempotency',
      'telemetry',
      'sessions',
    ],
    floor: 2,
  },
  { rooms: ['chat', 'embeddings', 'reranking', 'workflows', 'pulse', 'payments'], floor: 3 },
  { rooms: ['api'], floor: 4 },
  { rooms: ['edge'], floor: 5 },
];

const path = (rooms) => `^src/(${rooms.join('|')})/`;

/** Floor 6, which builds all others: nothing below knows it. */
const composition = ['^src/[a-z-]+\\.ts$', path(['rooms', 'cli'])];

const upward = floors.map(({ rooms, floor }) => ({
  name: `floor-${floor}-imports-downward-only`,
  comment: 'Imports go downward only: move the shared part down, or join the rooms one floor up.',
  severity: 'error',
  from: { path: path(rooms) },
  to: {
    path: [...composition, ...floors.filter((other) => other.floor > floor).map((other) => path(other.rooms))],
  },
}));

const siblings = floors
  .filter(({ floor }) => floor === 2 || floor === 3)
  .flatMap(({ rooms }) =>
    rooms.map((room) => ({
      name: `room-${room}-keeps-to-itself`,
      comment: 'Rooms of one floor never import each other; the floor above joins them.',
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: path(rooms.filter((other) => other !== room)) },
    })),
  );

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...upward,
    ...siblings,
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'transports-stay-at-the-edge',
      comment: 'Only edge/ and api/ know Connect, Fastify and transcoding.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(edge|api|app\\.ts)' },
      to: { path: 'node_modules/(@connectrpc|fastify|@fastify)/|(^|/)packages/transcoding/' },
    },
    {
      name: 'sql-stays-in-stores',
      comment: 'Only db/ and *-store.ts know Kysely and the driver.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/db/|-store\\.ts$' },
      to: { path: 'node_modules/(kysely|mysql2)/' },
    },
    {
      name: 'generated-messages-stop-at-the-flows',
      comment: 'Rooms have small types of their own; generated messages stop at floor 3.',
      severity: 'error',
      from: { path: path([...floors[2].rooms, 'db', 'base', 'config']) },
      to: { path: '^src/gen/' },
    },
    {
      name: 'callers-code-stays-in-the-sandbox',
      comment: 'Schemas, expressions and patterns of callers run in child processes: ask the sandbox.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/sandbox/(child|cel)/' },
      to: { path: 'node_modules/(ajv|ajv-formats|re2js|@bufbuild/cel|@bufbuild/cel-spec)/' },
    },
    {
      name: 'only-children-load-what-runs-in-them',
      comment: 'What is in sandbox/child runs in child processes only.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/sandbox/child/' },
      to: { path: '^src/sandbox/child/' },
    },
    {
      name: 'only-packs-run-expressions-outside',
      comment: 'Import the sandbox by its door. Shipped packs alone run expressions in the service itself.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/sandbox/(child|cel)/|^src/workflows/packs/pack-checks\\.ts$' },
      to: { path: '^src/sandbox/cel/' },
    },
    {
      name: 'transcoding-knows-no-product',
      comment: 'packages/transcoding is published alone.',
      severity: 'error',
      from: { path: '^packages/transcoding/src/' },
      to: { path: '^src/' },
    },
    {
      name: 'console-shares-money-only',
      comment: 'What runs in browsers shares the arithmetic of money with the service, and knows it by its JSON alone.',
      severity: 'error',
      from: { path: '^console/src/' },
      to: { path: '^src/|(^|/)packages/', pathNot: '^src/base/money\\.ts$' },
    },
    {
      name: 'service-does-without-the-console',
      severity: 'error',
      from: { path: '^(src|packages)/' },
      to: { path: '^console/' },
    },
    {
      name: 'pages-keep-to-themselves',
      comment: 'A page is a folder of its own; what two of them need is in ui/ or beside it.',
      severity: 'error',
      from: { path: '^console/src/pages/([^/]+)/' },
      to: { path: '^console/src/pages/', pathNot: '^console/src/pages/$1/' },
    },
    {
      name: 'not-to-unresolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules|^console/gen/' },
    exclude: { path: '^packages/[^/]+/dist/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    parser: 'swc',
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      // .d.ts: the console's generated types have no code.
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs', '.json'],
    },
  },
};
