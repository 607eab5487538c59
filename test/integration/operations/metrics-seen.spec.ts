// Every metric that the rules for Prometheus and the boards for Grafana ask for is answered by running services.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { projectRoot } from '../../../tools/project.js';
import { testKafka } from '../../support/kafka/kafka.js';
import { TwoServices } from '../../support/scheduler/two-services.js';

let world: TwoServices;

beforeAll(async () => {
  const kafka = await testKafka();
  const [events = '', outcomes = '', dead = ''] = await kafka.newTopics(['seen', 'seen-out', 'seen-dead']);
  world = await TwoServices.open('api,accept,plan,dispatch,follow,publish', {
    KAFKA_BROKERS: kafka.brokers.join(','),
    KAFKA_EVENTS_TOPIC: events,
    KAFKA_OUTCOMES_TOPIC: outcomes,
    KAFKA_DEAD_TOPIC: dead,
    DATABASE_DISK_GB: '100',
  });
});
afterAll(() => world.close());

const files = [
  'deploy/prometheus/rules.yml',
  ...readdirSync(join(projectRoot, 'deploy/grafana')).map((file) => `deploy/grafana/${file}`),
];
const asked = new Set(
  files.flatMap(
    (file) =>
      readFileSync(join(projectRoot, file), 'utf8').match(
        /\b(?:carillon|nodejs|process)_\w+(?=[\s{)[\\"])/g,
      ) ?? [],
  ),
);

it('is answered with its help and its type', async () => {
  await world.project();
  const urls = [world.scheduler.metricsUrl, world.stage.target.metricsUrl ?? ''];
  const texts = await Promise.all(urls.map(async (url) => (await fetch(url)).text()));
  const types = new Map(
    [...texts.join('\n').matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  const help = new Set([...texts.join('\n').matchAll(/^# HELP (\S+) \S/gm)].map(([, name = '']) => name));
  const isThere = (name: string): boolean => {
    const base = name.replace(/_(?:bucket|count|sum)$/, '');
    return (types.has(name) && help.has(name)) || types.get(base) === 'histogram';
  };
  // The role and views of reports are named so too; they are no metrics.
  const names = [...asked].filter((name) => !name.startsWith('carillon_report'));
  expect(names.length).toBeGreaterThan(30);
  expect(names.filter((name) => !isThere(name))).toEqual([]);
});
