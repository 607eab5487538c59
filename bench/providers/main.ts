// npm run bench:providers — devices through FCM and APNs against a bare loop of the same client to the same peer: the adapter
// alone, and the push service from POST to last outcome with all its rows; what memory that takes; and, where Go is there,
// sideshow/apns2 with the same pushes beside it. Ends with 1 when a floor is missed. `--devices=` and `--rounds=` in the place of
// 200 000 and 5.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { projectRoot } from '../../tools/project.js';
import { median, report, timedAsync, type Finding } from '../measure.js';
import { load } from '../push-service/load.js';
import { openStage, startProgram, type Stage } from '../push-service/stage.js';
import type { Http2Provider } from '../../src/push-service/delivery/over-http2/http2-provider.js';
import { Apns2 } from './apns2.js';
import { bareLoop, type BareTarget } from './bare-loop.js';
import { FCM_RATE, KINDS, tokenOf, type Kind } from './kinds.js';

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
  },
});
const DEVICES = Number(values.devices);
const ROUNDS = Number(values.rounds);
/** As a worker hands them over, and as many at once as a credential has. */
const SLICE = 1_000;
const SLICES_AT_ONCE = 2;
/** FCM's rate and the windows have grown by then. */
const WARM_MS = 20_000;
const MOST_MEMORY_MB = 150;

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));

interface Rates {
  readonly bare: number[];
  readonly adapter: number[];
  readonly service: number[];
  /** The rounds of sideshow/apns2: only beside APNs, and only if Go is installed. */
  readonly apns2: number[];
  /** Resident, the most that was seen: of the service, and of this process after a bare loop. */
  serviceMb: number;
  bareMb: number;
}

async function measure(kind: Kind, stage: Stage, target: BareTarget): Promise<Finding[]> {
  await seed(kind, stage);
  const provider = kind.adapter(target);
  const rates: Rates = { bare: [], adapter: [], service: [], apns2: [], serviceMb: 0, bareMb: 0 };
  const apns2 = kind.kind === 'apns' ? Apns2.open(target, logs, DEVICES) : undefined;
  await apns2?.round();
  const perSecond = (ms: number): number => Math.round(DEVICES / (ms / 1_000));
  const warm = performance.now() + WARM_MS;
  while (performance.now() < warm) await throughAdapter(kind, provider);
  const warmService = performance.now() + WARM_MS;
  while (performance.now() < warmService) await throughService(stage, rates);
  for (let round = 1; round <= ROUNDS; round += 1) {
    rates.bare.push(perSecond(await bareLoop(kind, target, DEVICES)));
    rates.bareMb = Math.max(rates.bareMb, residentMb(process.pid));
    rates.adapter.push(perSecond(await timedAsync(() => throughAdapter(kind, provider))));
    rates.service.push(perSecond(await throughService(stage, rates)));
    if (apns2 !== undefined) rates.apns2.push(perSecond(await apns2.round()));
    const [bare, adapter, service] = [rates.bare, rates.adapter, rates.service].map((of) => of.at(-1));
    process.stderr.write(
      `${kind.name}, round ${round}: bare ${bare}/s, adapter ${adapter}/s, service ${service}/s\n`,
    );
  }
  await provider.close(0);
  await apns2?.close();
  return findings(kind, rates);
}

function findings({ name }: Kind, { bare, adapter, service, apns2, serviceMb, bareMb }: Rates): Finding[] {
  const against = (what: string, ours: readonly number[], floor: number): Finding => ({
    name: `${DEVICES} devices through ${name}, ${what}, against a bare node:http2 loop to the same peer`,
    value: median(ours) / median(bare),
    unit: '×',
    bound: { kind: 'at least', value: floor },
    detail: `devices/s by round: ours ${ours.join(', ')}; bare ${bare.join(', ')}`,
  });
  return [
    against('the adapter alone', adapter, 0.5),
    against('the push service from POST to last outcome', service, 0.5),
    {
      name: `memory of the push service while it sends ${DEVICES} devices through ${name}, above that of the bare loop`,
      value: serviceMb - bareMb,
      unit: 'MB',
      bound: { kind: 'at most', value: MOST_MEMORY_MB },
      detail: `resident, the most that was seen: ${Math.round(serviceMb)} MB against ${Math.round(bareMb)} MB`,
    },
    ...(apns2.length === 0 ? [] : [besideApns2({ bare, adapter, service, apns2 })]),
  ];
}

function besideApns2({ bare, adapter, service, apns2 }: Omit<Rates, 'serviceMb' | 'bareMb'>): Finding {
  const ofApns2 = (ours: readonly number[]): string => (median(ours) / median(apns2)).toFixed(2);
  return {
    name: `${DEVICES} devices through APNs, the push service from POST to last outcome, against sideshow/apns2 with as many connections and streams`,
    value: median(service) / median(apns2),
    unit: '×',
    bound: { kind: 'at least', value: 0.3 },
    detail: `devices/s by round: ours ${service.join(', ')}; apns2 ${apns2.join(', ')}; of it the adapter alone ${ofApns2(adapter)} ×, the bare loop ${ofApns2(bare)} ×`,
  };
}

/** Slice after slice, two at a time, as two workers hand them over. */
async function throughAdapter(kind: Kind, provider: Http2Provider): Promise<void> {
  const credential = { id: 'bench', version: 1, kind: kind.kind };
  let next = 0;
  let sent = 0;
  const worker = async (): Promise<void> => {
    while (next < DEVICES) {
      const begin = next;
      next += SLICE;
      const length = Math.min(SLICE, DEVICES - begin);
      const targets = Array.from({ length }, (_, place) => ({
        place,
        deviceId: String(begin + place),
        token: tokenOf(begin + place, kind.kind === 'fcm' ? 140 : 64),
        variant: 0,
      }));
      const job = { firingId: '1', requestId: 'r', serviceId: 's', credential };
      await provider.deliver({ ...job, variants: [kind.variant], notAfter: undefined }, targets, {
        signal: new AbortController().signal,
        report: (_, { kind: outcome }) => {
          if (outcome === 'sent') sent += 1;
        },
      });
    }
  };
  await Promise.all(Array.from({ length: SLICES_AT_ONCE }, worker));
  if (sent !== DEVICES) throw new Error(`${sent} of ${DEVICES} were sent through ${kind.name}`);
}

/** Milliseconds from the POST until the last outcome is recorded. */
async function throughService(stage: Stage, rates: Rates): Promise<number> {
  const { sql, serviceUrl: url, account } = stage;
  await sql.query('truncate delivery');
  await sql.query('CHECKPOINT');
  const begun = performance.now();
  const { bodies } = await load({
    url,
    account,
    connections: 1,
    count: 1,
    method: 'POST',
    pathOf: () => 'messages',
    bodyOf: () =>
      JSON.stringify({
        target: { type: 'ALL' },
        message: { default: { content: 'the news of the day', custom: { campaign: String(begun) } } },
      }),
    status: 202,
  });
  const { requestId } = JSON.parse(bodies[0] ?? '') as { requestId: string };
  for (;;) {
    const { rows } = await sql.query<{ state: string; sent: number }>(
      'select state, sent_count::int as sent from message where id = $1',
      [requestId],
    );
    const ms = performance.now() - begun;
    rates.serviceMb = Math.max(rates.serviceMb, residentMb(stage.servicePid));
    const { state, sent } = rows[0] ?? {};
    if (state === 'FINISHED' && sent === DEVICES) return ms;
    if (state === 'FINISHED') throw new Error(`${sent} of ${DEVICES} were sent`);
    await scheduler.wait(20);
  }
}

function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;
}

/** Replaces who is there by users of one device each, and gives the service a credential for it. */
async function seed(kind: Kind, { sql, account, management }: Stage): Promise<void> {
  const { serviceId } = account;
  await sql.query('truncate push_user cascade');
  await sql.query(
    `insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                            night_ad_agreement, created_at, updated_at)
     select $1, 'user-' || i, 'KR', 'ko', 32400, true, true, true, now(), now() from generate_series(1, $2::int) as i`,
    [serviceId, DEVICES],
  );
  await sql.query('VACUUM ANALYZE push_user');
  await sql.query(
    `insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     select service_id, key, $1, lpad(key::text, $2::int, 't'), sha256(convert_to(user_id, 'UTF8')), now(), now()
     from push_user order by key`,
    [kind.deviceType, kind.kind === 'fcm' ? 140 : 64],
  );
  await sql.query('VACUUM ANALYZE device');
  const path = `/v1/services/${encodeURIComponent(serviceId)}/credentials/${kind.kind}`;
  const answer = await fetch(management.url + path, {
    method: 'PUT',
    headers: { authorization: `Bearer ${management.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(kind.credential),
  });
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
}

const closers: (() => Promise<unknown>)[] = [];
const logs = mkdtempSync(join(tmpdir(), 'carillon-bench-peer-'));
const peer = await startProgram(closers, join(logs, 'peer.log'), 'bench/providers/peer.js', {});
const ca = peer.ca ?? '';
const stage = await openStage({
  PUSH_FCM_URL: peer.url,
  PUSH_FCM_TOKEN_URL: `${peer.url}/token`,
  PUSH_APNS_URL: peer.url,
  PUSH_PROVIDER_CA: ca,
  PUSH_FCM_RATE: String(FCM_RATE),
});
try {
  const loadBefore = loadavg()[0] ?? 0;
  const found: Finding[] = [];
  for (const kind of KINDS) found.push(...(await measure(kind, stage, { url: peer.url, ca })));
  const section = [
    '## Providers',
    '',
    `\`npm run bench:providers\` on ${cpus()[0]?.model.trim() ?? 'an unknown processor'}; ${stage.database}. Client,`,
    'service, database and peer share the machine. Its load was',
    `${loadBefore.toFixed(1)} before the run and ${(loadavg()[0] ?? 0).toFixed(1)} at its end.`,
  ].join('\n');
  if (!report(projectRoot, found, section)) process.exitCode = 1;
} finally {
  await stage.close();
  for (const close of closers) await close();
  rmSync(logs, { recursive: true, force: true });
}
