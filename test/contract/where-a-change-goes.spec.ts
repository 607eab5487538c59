// README, "Where a change goes", against the code: each place is there, and each kind of thing has only that place.
import { readdirSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { afterAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/platform/clock.js';
import { NO_TRACING } from '../../src/platform/tracing/tracing.js';
import { readPushServiceConfig } from '../../src/push-service/push-service.config.js';
import { createStages as createPushStages } from '../../src/push-service/stages.js';
import { readSchedulerConfig } from '../../src/scheduler/scheduler.config.js';
import { CONTROLLERS, createStages } from '../../src/scheduler/stages.js';
import { projectRoot } from '../../tools/project.js';

const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');
/** The files of src, as `src/…`, but for specs. */
const SOURCES = readdirSync(join(projectRoot, 'src'), { recursive: true, encoding: 'utf8' })
  .map((file) => `src/${file}`)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
const filesWith = (pattern: RegExp): string[] => SOURCES.filter((file) => pattern.test(read(file))).sort();
const sectionOf = (page: string, heading: string): string =>
  read(page)
    .split(/^## /m)
    .find((section) => section.startsWith(`${heading}\n`)) ?? '';

/** A scheduler and a push service of every role that are made and not started: they connect to nothing. */
const given = {
  clock: new SystemClock(),
  log: pino({ level: 'silent' }),
  tracing: { ...NO_TRACING, isOn: true },
};
const common = {
  DATABASE_URL: 'postgresql://127.0.0.1:1/x',
  CARILLON_MASTER_KEY: `k:${Buffer.alloc(32).toString('base64')}`,
};
const scheduler = createStages({
  ...given,
  config: readSchedulerConfig({ ...common, KAFKA_BROKERS: '127.0.0.1:1' }),
});
const pushService = createPushStages({
  ...given,
  config: readPushServiceConfig({ ...common, MANAGEMENT_TOKEN: 'x'.repeat(16) }),
});
afterAll(() => scheduler.workers.close());

describe('README, "Where a change goes"', () => {
  it('names places that there are', () => {
    const rows = sectionOf('README.md', 'Where a change goes')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !line.startsWith('| ---'))
      .slice(1);
    expect(rows.length).toBeGreaterThan(20);
    const all = [...SOURCES, 'docs/', 'migrations/', '.env.example'];
    for (const row of rows) {
      const places = [...row.matchAll(/`([\w./*-]+[/.][\w./*-]*)`/g)].map(([, place = '']) => place);
      for (const place of places) {
        const ending = place.replace(/^\*/, '');
        const isThere =
          existsSync(join(projectRoot, place)) ||
          place.includes('/*/') ||
          all.some((file) => file.endsWith(ending.startsWith('.') ? ending : `/${ending}`)) ||
          (place.endsWith('/') && SOURCES.some((file) => file.includes(`/${place}`)));
        expect([row, place, isThere]).toEqual([row, place, true]);
      }
    }
  });
});

describe('a metric', () => {
  const EXPORTED = /(?<![\w$])(?:counter|gauge|histogram|readCounter)\(/;

  it('is declared in a metrics.ts alone, and registered by the stages alone', () => {
    expect(filesWith(/new (?:Counter|Gauge|Histogram|Summary)\(/)).toEqual(['src/platform/metric.ts']);
    const declaring = filesWith(EXPORTED).filter((file) => file !== 'src/platform/metric.ts');
    expect(declaring.length).toBeGreaterThan(8);
    expect(declaring.filter((file) => !file.endsWith('/metrics.ts'))).toEqual([]);
    expect(filesWith(/registers: \[[^\]]|\.registerMetric\(/)).toEqual(['src/platform/stage.ts']);
  });

  const page = 'docs/operate/metrics.md';
  /** `name{label,label}`. */
  const toldIn = (text: string): string[] =>
    [...text.matchAll(/`(carillon_\w+(?:\{[^}]*\})?)`/g)].map(([, metric = '']) => metric);
  const inWords = (metric: object): string => {
    const { name, labelNames } = metric as { name: string; labelNames: readonly string[] };
    return labelNames.length === 0 ? name : `${name}{${labelNames.join(',')}}`;
  };

  it.each([
    ['The scheduler', scheduler.metrics],
    ['The push service', pushService.metrics],
  ])('stands with its labels in docs/operate/metrics.md, "%s", and no other does', (heading, registry) => {
    const registered = registry.getMetricsAsArray().map(inWords);
    expect(toldIn(sectionOf(page, heading)).sort()).toEqual(registered.sort());
  });
});

describe('a controller', () => {
  const controllersOf = (service: string): string[] =>
    SOURCES.filter((file) => file.startsWith(`src/${service}/`) && file.endsWith('.controller.ts'))
      .flatMap((file) => [...read(file).matchAll(/^export (?:class|const) (\w+Controller)\b/gm)])
      .map(([, name = '']) => name)
      .sort();

  it.each([
    ['scheduler', /\/stage\.ts$/],
    ['push-service', /\/push-service\.module\.ts$/],
  ])('of the %s is named in one list', (service, place) => {
    const ours = SOURCES.filter((file) => file.startsWith(`src/${service}/`));
    for (const name of controllersOf(service)) {
      const listed = new RegExp(`\\[[^\\]]*\\b${name}\\b[^\\]]*\\]`);
      const places = ours.filter((file) => listed.test(read(file)));
      expect([name, places]).toEqual([name, [expect.stringMatching(place)]]);
    }
  });

  it('of the scheduler is served', () => {
    expect(CONTROLLERS.map(({ name }) => name).sort()).toEqual(controllersOf('scheduler'));
  });
});

describe('a loop and a health check', () => {
  it("come by a stage's list", () => {
    expect(filesWith(/\bloops\.add\(|\bhealth\.add\(|\bloops\.onStart\(/)).toEqual(['src/platform/stage.ts']);
  });

  it.each([
    ['Loops of the scheduler:', scheduler.loops],
    ['Loops of the push service,', pushService.loops],
  ])('%s are those of docs/understand/architecture.md', (words, loops) => {
    const [, after = ''] = sectionOf('docs/understand/architecture.md', 'Loops').split(words);
    const [table = ''] = /(?:^\|.*\n)+/m.exec(after) ?? [];
    const told = table
      .split('\n')
      .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`([\w-]+)`/g)])
      .map(([, name = '']) => name);
    const kinds = (names: readonly string[]): string[] =>
      [...new Set(names.map((name) => name.replace(/-\d+$/, '')))].sort();
    expect(kinds(told)).toEqual(kinds(loops.names));
  });
});
