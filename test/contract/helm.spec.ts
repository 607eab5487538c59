import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { PushServiceEnvironment, readPushServiceConfig } from '../../src/push-service/push-service.config.js';
import { readSchedulerConfig, schedulerEnvironment } from '../../src/scheduler/scheduler.config.js';
import { chartHash, findHelm, render, renderedFile } from '../../tools/helm/chart.js';
import { NODE_OPTIONS } from '../../tools/house/node-options.js';
import { projectRoot } from '../../tools/project.js';

const text = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

const Probe = z.object({
  httpGet: z.object({ path: z.string(), port: z.string() }),
});
const Container = z.object({
  name: z.string(),
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  livenessProbe: Probe.optional(),
  readinessProbe: Probe.optional(),
  securityContext: z.record(z.string(), z.unknown()),
  resources: z.object({ limits: z.object({ memory: z.string() }) }),
});
const Pod = z.object({
  metadata: z.object({ labels: z.record(z.string(), z.string()) }),
  spec: z.object({
    automountServiceAccountToken: z.literal(false),
    enableServiceLinks: z.literal(false),
    terminationGracePeriodSeconds: z.number().optional(),
    securityContext: z.looseObject({ runAsNonRoot: z.literal(true) }),
    containers: z.array(Container).length(1),
    volumes: z.array(
      z.object({
        secret: z.object({ items: z.array(z.object({ key: z.string(), path: z.string() })) }).optional(),
      }),
    ),
  }),
});
type Pod = z.output<typeof Pod>;
const Resource = z.object({
  kind: z.string(),
  metadata: z.looseObject({ name: z.string() }),
  spec: z.looseObject({}),
});
const resources = parseAllDocuments(text('deploy/helm/rendered.yaml'))
  .map((document): unknown => document.toJS())
  .filter((one) => one !== null)
  .map((one) => Resource.parse(one));
const named = (kind: string, name: string) => {
  const found = resources.find((one) => one.kind === kind && one.metadata.name === `bell-${name}`);
  if (found === undefined) throw new Error(`the chart renders no ${kind} bell-${name}`);
  return found.spec;
};
const pods = new Map(
  resources
    .filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
    .map(({ metadata, spec }) => [metadata.name.replace('bell-', ''), Pod.parse(spec['template'])]),
);
const policies = resources
  .filter(({ kind }) => kind === 'NetworkPolicy')
  .map((policy) =>
    z
      .object({
        spec: z.object({
          podSelector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
          ingress: z.array(
            z.object({ from: z.array(z.unknown()), ports: z.array(z.object({ port: z.number() })) }),
          ),
        }),
      })
      .parse(policy),
  );
const containerOf = (pod: Pod): z.output<typeof Container> => Container.parse(pod.spec.containers[0]);

/** What a process finds in its environment; of files, what could stand in them. */
function environmentOf(pod: Pod): Record<string, string> {
  const files = pod.spec.volumes.flatMap(({ secret }) => secret?.items.map(({ path }) => path) ?? []);
  const contents: Record<string, string> = {
    database_url: 'postgresql://carillon_scheduler:hush@postgres:5432/carillon',
    database_report_url: 'postgresql://carillon_scheduler:hush@replica:5432/carillon',
    carillon_master_key: `k1:${Buffer.alloc(32).toString('base64')}`,
    kafka_password: 'hush',
    management_token: 'a token of many characters',
  };
  return Object.fromEntries(
    containerOf(pod).env.map(({ name, value }) => {
      const [, file] = /^\/run\/secrets\/carillon\/(.*)$/.exec(value) ?? [];
      if (file === undefined) return [name, value];
      expect(files).toContain(file);
      return [name.replace(/_FILE$/, ''), contents[file] ?? ''];
    }),
  );
}

describe('the chart of deploy/helm', () => {
  it('is the one that was rendered last: npm run helm', () => {
    expect(text('deploy/helm/rendered.yaml')).toContain(`SHA-256 ${chartHash()}\n`);
  });

  const helm = findHelm(process.env['CARILLON_TEST_LONG'] === '1');
  it.skipIf(helm === undefined)('passes Helm’s own linter, and renders as it is kept', () => {
    expect(render(helm ?? '')).toBe(readFileSync(renderedFile, 'utf8'));
  });

  it('is of this version', () => {
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(text('package.json')));
    expect(parse(text('deploy/helm/carillon/Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });

  it('gives every role of the scheduler a deployment that takes its configuration', () => {
    const roles = [...pods].flatMap(([name, pod]) => {
      if (!name.startsWith('scheduler-')) return [];
      const environment = environmentOf(pod);
      const config = readSchedulerConfig(environment);
      expect(config).toMatchObject({
        host: '0.0.0.0',
        port: 8080,
        kafka: { sasl: { username: 'carillon' } },
      });
      expect(Object.keys(environment).filter((key) => !(key in schedulerEnvironment.shape))).toEqual([]);
      expect(containerOf(pod).args).toEqual([
        ...NODE_OPTIONS.scheduler.slice(1),
        'dist/src/scheduler/main.js',
      ]);
      return [...config.roles];
    });
    expect(roles.sort()).toEqual(['accept', 'api', 'dispatch', 'follow', 'plan', 'publish']);
  });

  it('gives the push service a configuration that it takes', () => {
    const pod = Pod.parse(named('Deployment', 'push-service')['template']);
    const environment = environmentOf(pod);
    expect(readPushServiceConfig(environment)).toMatchObject({ PUSH_HOST: '0.0.0.0', PUSH_PORT: 3200 });
    expect(Object.keys(environment).filter((key) => !(key in PushServiceEnvironment.shape))).toEqual([]);
  });

  it('migrates before anything of a new version starts', () => {
    const job = resources.find(({ kind }) => kind === 'Job');
    expect(job?.metadata).toMatchObject({ annotations: { 'helm.sh/hook': 'pre-install,pre-upgrade' } });
    expect(containerOf(Pod.parse(job?.spec['template'])).args).toEqual([
      'dist/src/cli/carillon.js',
      'migrate',
    ]);
  });

  it('gives each process no more than it needs, and the time that it takes to end', () => {
    for (const [name, pod] of pods) {
      const { securityContext, args } = containerOf(pod);
      expect([name, securityContext]).toEqual([
        name,
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } },
      ]);
      const program = args.find((word) => word.startsWith('dist/')) ?? '';
      expect(existsSync(join(projectRoot, program.replace(/^dist\/(.*)\.js$/, '$1.ts')))).toBe(true);
      expect([name, pod.spec.terminationGracePeriodSeconds]).toEqual([
        name,
        name === 'migrate' ? undefined : 20,
      ]);
    }
  });

  it('asks each whether it lives and is ready, and lets one of a kind go at a time', () => {
    for (const [name, pod] of pods) {
      if (name === 'migrate') continue;
      const { livenessProbe, readinessProbe, ports } = containerOf(pod);
      expect(ports.map((port) => port.name)).toEqual(['http', 'metrics']);
      for (const [probe, path] of [
        [livenessProbe, '/health/live'],
        [readinessProbe, '/health/ready'],
      ] as const) {
        // The port of the metrics answers, however full the port of the API is.
        expect(probe?.httpGet).toEqual({ path, port: 'metrics' });
      }
      expect(named('PodDisruptionBudget', name)).toMatchObject({ maxUnavailable: 1 });
      const { matchLabels } = z
        .object({ matchLabels: z.record(z.string(), z.string()) })
        .parse(named('Deployment', name)['selector']);
      expect(pod.metadata.labels).toMatchObject(matchLabels);
      expect(named('PodDisruptionBudget', name)['selector']).toEqual({ matchLabels });
    }
  });

  it('opens the port of an API on the pods that have one alone, and all others to those who scrape', () => {
    const opened = [...pods].map(([name, pod]) => {
      const ports = policies.flatMap(({ spec: { podSelector, ingress } }) => {
        const { labels } = pod.metadata;
        const isOf = Object.entries(podSelector.matchLabels).every(
          ([label, value]) => labels[label] === value,
        );
        return isOf ? ingress.flatMap(({ from, ports: open }) => open.map(({ port }) => [from, port])) : [];
      });
      return [name, ports.sort(([, one], [, other]) => Number(one) - Number(other))];
    });
    const callers = [{ namespaceSelector: { matchLabels: { 'calls-carillon': 'allowed' } } }];
    const scrapes = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];
    expect(Object.fromEntries(opened)).toEqual({
      migrate: [],
      'push-service': [
        [callers, 3200],
        [scrapes, 9465],
      ],
      'scheduler-api': [
        [callers, 8080],
        [scrapes, 9464],
      ],
      'scheduler-dispatch': [[scrapes, 9464]],
      'scheduler-work': [[scrapes, 9464]],
    });
  });

  it('grows by a metric that the scheduler has', () => {
    const { metric } = z.object({ metric: z.string() }).parse(
      (
        parse(text('deploy/helm/carillon/values.yaml')) as {
          scheduler: { deployments: { dispatch: { autoscaling: unknown } } };
        }
      ).scheduler.deployments.dispatch.autoscaling,
    );
    expect(named('HorizontalPodAutoscaler', 'scheduler-dispatch')).toMatchObject({
      metrics: [{ type: 'External', external: { metric: { name: metric } } }],
    });
    expect(text('src/scheduler/admin/projects/metrics.ts')).toContain(`'${metric}{`);
  });
});
