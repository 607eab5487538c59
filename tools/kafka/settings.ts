// A broker's settings: server.properties, which all brokers of ours share, and what each start adds.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../project.js';

export type Settings = Readonly<Record<string, string>>;

/** The image that Docker runs and the compose file names; the jars are of the same version. */
export const KAFKA_IMAGE = 'apache/kafka:4.3.1';

export function sharedSettings(): Settings {
  return parseProperties(readFileSync(join(projectRoot, 'tools', 'kafka', 'server.properties'), 'utf8'));
}

/** `key=value` lines; lines that begin with # are comments. */
export function parseProperties(text: string): Settings {
  const lines = text.split('\n').map((line) => line.trim());
  return Object.fromEntries(
    lines
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

export function formatProperties(settings: Settings): string {
  return Object.entries(settings)
    .map(([key, value]) => `${key}=${value.replaceAll('\\', '\\\\')}\n`)
    .join('');
}

/** The settings of a broker on this machine: one listener for clients, one for itself. */
export function localSettings(port: number, controllerPort: number, dataDir: string): Settings {
  return {
    ...sharedSettings(),
    listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'log.dirs': dataDir,
  };
}

/** The settings as the image of Apache Kafka reads them: KAFKA_ before the name, an underscore for each dot. */
export function asEnvironment(settings: Settings): Settings {
  const name = (key: string): string =>
    key.replaceAll('_', '__').replaceAll('-', '___').replaceAll('.', '_').toUpperCase();
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [`KAFKA_${name(key)}`, value]));
}
