// The rules for Prometheus and the boards for Grafana, against the list of causes, the pages they lead to and the metrics of both
// services. promtool checks and runs the rules where it is installed (Debian: prometheus).
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { Histogram, type Registry } from 'prom-client';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SystemClock } from '../../src/platform/clock.js';
import { collectNodeMetrics } from '../../src/platform/http/metrics.js';
import { NO_TRACING } from '../../src/platform/tracing/tracing.js';
import { readPushServiceConfig } from '../../src/push-service/push-service.config.js';
import { createStages as createPushStages } from '../../src/push-service/stages.js';
import { CAUSE_CODES, CAUSES, runbookOf } from '../../src/scheduler/alerts/cause.js';
import { readSchedulerConfig } from '../../src/scheduler/scheduler.config.js';
import { createStages } from '../../src/scheduler/stages.js';
import { projectRoot } from '../../tools/project.js';
import { headingsOf } from '../support/doc-headings.js';

const RULES = 'deploy/prometheus/rules.yml';
const BOARDS = 'deploy/grafana';
const read = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

const Rule = z.strictObject({
  alert: z.string(),
  expr: z.string(),
  for: z.string(),
  labels: z.strictObject({ severity: z.enum(['note', 'warning', 'critical']), cause: z.string().optional() }),
  annotations: z.strictObject({ summary: z.string(), runbook_url: z.string() }),
});
const Rules = z.object({ groups: z.array(z.object({ name: z.string(), rules: z.array(Rule) })) });
const rules = Rules.parse(parse(read(RULES))).groups.flatMap((group) => group.rules);

const Board = z.looseObject({
  uid: z.string(),
  title: z.string(),
  panels: z.array(
    z.looseObject({
      title: z.string(),
      datasource: z.looseObject({ type: z.string() }),
      targets: z.array(z.looseObject({ expr: z.string().optional() })),
    }),
  ),
});
const boards = readdirSync(join(projectRoot, BOARDS)).map((file) =>
  Board.parse(JSON.parse(read(`${BOARDS}/${file}`))),
);
const panels = boards
  .flatMap(({ panels: all }) => all)
  .filter(({ datasource }) => datasource.type === 'prometheus');
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets }) => targets.map(({ expr = '' }) => expr)),
];

/** A scheduler and a push service of every role that are made and not started: they connect to nothing. */
const given = { clock: new SystemClock(), log: pino({ level: 'silent' }), tracing: NO_TRACING };
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
collectNodeMetrics(scheduler.metrics);
afterAll(() => scheduler.workers.close());

/** Each series of a registry with its labels. */
function seriesOf(registry: Registry): readonly (readonly [name: string, labels: readonly string[]])[] {
  return registry.getMetricsAsArray().flatMap((metric) => {
    const { name, labelNames } = metric as unknown as { name: string; labelNames: readonly string[] };
    if (!(metric instanceof Histogram)) return [[name, labelNames] as const];
    return ['_bucket', '_sum', '_count'].map((end) => [`${name}${end}`, [...labelNames, 'le']] as const);
  });
}
const series = new Map([...seriesOf(scheduler.metrics), ...seriesOf(pushService.metrics)]);
/** What Prometheus itself adds to a series. */
const ITS_OWN = ['job', 'instance'];

describe('the rules', () => {
  it('have one for each cause, in their order, with its severity and its heading of the runbook', () => {
    const ofCauses = rules.filter(({ labels }) => labels.cause !== undefined);
    expect(ofCauses.map(({ expr, labels, annotations }) => ({ expr, ...labels, ...annotations }))).toEqual(
      CAUSE_CODES.map((cause) => ({
        expr: `max(carillon_alerts_open{cause="${cause}"}) > 0`,
        severity: CAUSES[cause].severity,
        cause,
        summary: CAUSES[cause].text,
        runbook_url: runbookOf(cause),
      })),
    );
  });

  it('lead to headings that are there', () => {
    for (const { alert, annotations } of rules) {
      const [page = '', anchor = ''] = annotations.runbook_url.split('#');
      const anchors = headingsOf(page).map((heading) => heading.toLowerCase().replaceAll(/[^\w]+/g, '-'));
      expect([alert, anchors]).toEqual([alert, expect.arrayContaining([anchor])]);
    }
  });

  it('have each a case in rules.test.yml, by which it fires and ends', () => {
    const cases = z
      .object({
        tests: z.array(
          z.object({
            alert_rule_test: z.array(z.object({ alertname: z.string(), exp_alerts: z.array(z.unknown()) })),
          }),
        ),
      })
      .parse(parse(read('deploy/prometheus/rules.test.yml'))).tests;
    const told = cases.map(({ alert_rule_test: asked }) =>
      asked.map(({ alertname, exp_alerts: alerts }) => [alertname, alerts.length]),
    );
    expect(told).toEqual(
      rules.map(({ alert }) => [
        [alert, 1],
        [alert, 0],
      ]),
    );
  });
});

describe('what rules and boards ask for', () => {
  it.each(expressions.map((expression) => [expression]))('is there, with its labels: %s', (expression) => {
    const bare = expression.replaceAll(/"[^"]*"/g, '');
    const names = [...bare.matchAll(/\b(?:carillon|nodejs|process)_\w+/g)].map(([name]) => name);
    expect(names.length > 0 || bare.includes('up{')).toBe(true);
    const known = names.flatMap((name) => {
      expect([...series.keys()]).toContain(name);
      return series.get(name) ?? [];
    });
    const grouped = [...bare.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
    const matched = [...bare.matchAll(/(\w+)(?:=|!=|=~)(?=[,}])/g)].map(([, label = '']) => label);
    for (const label of [...grouped, ...matched]) expect([...known, ...ITS_OWN]).toContain(label);
  });

  it('is every metric of ours but those of the process, so that none is forgotten', () => {
    const asked = new Set(expressions.flatMap((one) => one.match(/\bcarillon_\w+/g) ?? []));
    const bare = (name: string): string => name.replace(/_(?:bucket|sum|count)$/, '');
    const shown = new Set([...asked].map(bare));
    const ours = [...new Set([...series.keys()].map(bare))].filter((name) => name.startsWith('carillon_'));
    expect(ours.filter((name) => !shown.has(name)).toSorted()).toEqual([
      'carillon_health_check',
      'carillon_health_note',
      'carillon_kept_days',
      'carillon_replicas_unheard',
      'carillon_reports_waiting',
      'carillon_streams_cut_total',
      'carillon_streams_open',
      'carillon_zone_rules_years_behind',
    ]);
  });
});

describe('the boards', () => {
  it('have titles and ids of their own', () => {
    expect(new Set(boards.map(({ uid }) => uid)).size).toBe(boards.length);
    for (const { panels: all } of boards)
      expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
  });
});

const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

describe.skipIf(!hasPromtool)('promtool (skipped where it is not installed)', () => {
  const promtool = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: projectRoot, encoding: 'utf8' });
    return { status, said: `${stdout}${stderr}` };
  };

  it('takes the rules, and sees each fire and end', () => {
    expect(promtool('check', 'rules', RULES)).toMatchObject({ status: 0 });
    expect(promtool('test', 'rules', 'deploy/prometheus/rules.test.yml')).toMatchObject({ status: 0 });
  });

  it('takes every expression of the boards', () => {
    const folder = mkdtempSync(join(tmpdir(), 'boards-'));
    const file = join(folder, 'boards.yml');
    const asRules = expressions.map((expr, at) => ({ record: `board:${at}`, expr }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'boards', rules: asRules }] }));
    expect(promtool('check', 'rules', file)).toMatchObject({ status: 0 });
    rmSync(folder, { recursive: true });
  });
});
