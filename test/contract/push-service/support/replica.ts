// The push service as a process of its own, to be killed, and users by the thousand written straight into its tables.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client as Postgres } from 'pg';
import { newMasterKey } from '../../../../src/platform/secrets/sealed.js';
import type { Target } from './target.js';

const MAIN = fileURLToPath(new URL('../../../../dist/src/push-service/main.js', import.meta.url));
const TOKEN = 'management-token-of-a-test';
const MASTER_KEY = newMasterKey('test');

export interface Replica extends Target {
  /** Megabytes this process holds. */
  residentMb(): number;
  /** kill −9. */
  kill(): Promise<void>;
}

/** Starts one on the given database and returns once it listens. Needs the compiled service. */
export async function startReplica(
  databaseUrl: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Replica> {
  const child = spawn(process.execPath, [MAIN, '--sandbox'], {
    env: {
      ...process.env,
      DATABASE_URL: databaseUrl,
      PUSH_PORT: '0',
      MANAGEMENT_PORT: '0',
      PUSH_METRICS_PORT: '0',
      MANAGEMENT_TOKEN: TOKEN,
      CARILLON_MASTER_KEY: MASTER_KEY,
      PUSH_IDLE_MS: '50',
      PUSH_LEASE_MS: '3000',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const { url, managementUrl } = await addressOf(child);
  return {
    url,
    managementUrl,
    managementToken: TOKEN,
    databaseUrl,
    residentMb: () => {
      const status = readFileSync(`/proc/${String(child.pid)}/status`, 'utf8');
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    close: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function addressOf(child: ChildProcess): Promise<{ url: string; managementUrl: string }> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.once('exit', (code) => reject(new Error(`the push service ended with ${code}: ${text}`)));
    child.stdout?.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString('utf8')).slice(-20_000);
      const line = text.split('\n').find((one) => one.includes('the push service is up'));
      if (line !== undefined) resolve(JSON.parse(line) as { url: string; managementUrl: string });
    });
  });
}

/** Rows of any statement on the push service's tables. */
export async function query<Row>(
  databaseUrl: string,
  text: string,
  parameters: unknown[] = [],
): Promise<Row[]> {
  const client = new Postgres({ connectionString: databaseUrl, options: '-c search_path=push' });
  await client.connect();
  try {
    return (await client.query(text, parameters)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** `count` users of one device each; every thousandth token is slow, so that a chunk takes some two seconds, if asked. */
export async function seedUsers(
  databaseUrl: string,
  serviceId: string,
  count: number,
  slow: boolean,
): Promise<void> {
  await query(
    databaseUrl,
    `with made as (
       insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                              night_ad_agreement, created_at, updated_at)
       select $1, 'user-' || i, 'KR', (array['ko', 'en', 'ja'])[1 + i % 3], 32400, true, true, true, now(), now()
       from generate_series(1, $2::int) as i returning key, user_id)
     insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     select $1, key, case when key % 2 = 0 then 'GCM' else 'APNS' end,
            case when $3 and key % 1000 = 0 then 'slow-' else 'token-' end || user_id,
            sha256(convert_to(user_id, 'UTF8')), now(), now()
     from made`,
    [serviceId, count, slow],
  );
  await query(databaseUrl, 'ANALYZE push_user, device');
}
