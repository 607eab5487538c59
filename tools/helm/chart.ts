// The chart of deploy/helm, as Helm itself reads it. Helm is a program in Go: who has neither it nor Go goes by what was
// rendered last (deploy/helm/rendered.yaml), which names the chart that it is of.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot, stateRoot } from '../project.js';

const HELM = 'helm.sh/helm/v3/cmd/helm@v3.19.2';
const chartDir = join(projectRoot, 'deploy', 'helm', 'carillon');
export const renderedFile = join(projectRoot, 'deploy', 'helm', 'rendered.yaml');

/** The sets of values that are rendered besides the chart's own values. */
const SET = [
  'scheduler.env.KAFKA_BROKERS=kafka-1:9092\\,kafka-2:9092',
  'scheduler.env.KAFKA_SASL_MECHANISM=scram-sha-512',
  'scheduler.env.KAFKA_USERNAME=carillon',
  'secret.keys.kafkaPassword=kafka-password',
  'secret.keys.databaseReportUrl=report-url',
  'nodeSelector.disk=ssd',
  'networkPolicy.callers.calls-carillon=allowed',
  'scheduler.deployments.dispatch.autoscaling.enabled=true',
];

/** SHA-256 of every file of the chart, with its name. */
export function chartHash(): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(chartDir, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/\.\w+$/.test(name)) hash.update(`${name}\n`).update(readFileSync(join(chartDir, name)));
  }
  return hash.digest('hex');
}

/** The path's own Helm, or one made by Go in .carillon/helm; undefined without either. `make`: takes minutes the first time. */
export function findHelm(make: boolean): string | undefined {
  if (spawnSync('helm', ['version']).status === 0) return 'helm';
  const folder = join(stateRoot, 'helm');
  const made = join(folder, 'helm');
  if (!existsSync(made) && make && spawnSync('go', ['version']).status === 0)
    execFileSync('go', ['install', HELM], { env: { ...process.env, GOBIN: folder }, stdio: 'inherit' });
  return existsSync(made) ? made : undefined;
}

/** Throws with Helm's own words where the chart does not pass its linter, strictly. */
export function render(helm: string): string {
  const set = SET.flatMap((value) => ['--set', value]);
  execFileSync(helm, ['lint', '--strict', '--quiet', chartDir, ...set], { encoding: 'utf8' });
  const args = ['template', 'bell', chartDir, '--kube-version', '1.33.0', ...set];
  const text = execFileSync(helm, args, { encoding: 'utf8', maxBuffer: 16 << 20 });
  return `# By npm run helm, of the chart with the SHA-256 ${chartHash()}\n${text}`;
}
