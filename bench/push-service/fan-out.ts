// A message to ALL, from its POST to the outcome of the last device, through the sandbox provider with every payload
// rendered, against one INSERT … SELECT of as many outcome rows; and whether the rate holds from 10 000 to 1 000 000.
import { performance } from 'node:perf_hooks';
import { scheduler } from 'node:timers/promises';
import { median, timedAsync, type Finding } from '../measure.js';
import { load } from './load.js';
import type { Stage } from './stage.js';

const ROUNDS = 5;
const LARGE = 1_000_000;
const SMALL = 10_000;

export async function fanOut(stage: Stage): Promise<Finding[]> {
  const { sql } = stage;
  await sql.query('create table plain_delivery (like delivery INCLUDING all)');
  const large = await compare(stage, LARGE, 'JP');
  const small = await compare(stage, SMALL, 'KR');
  await sql.query('truncate push_user cascade');
  return [
    againstInsert(LARGE, large),
    againstInsert(SMALL, small),
    {
      name: `fan-out, devices/s at ${LARGE} against ${SMALL} devices`,
      value: median(large.ours) / median(small.ours),
      unit: '×',
      bound: { kind: 'at least', value: 0.8 },
      detail: `${LARGE}: ${large.ours.join(', ')}; ${SMALL}: ${small.ours.join(', ')}`,
    },
  ];
}

/** Devices a second. */
interface Rates {
  readonly ours: number[];
  readonly insert: number[];
}

function againstInsert(devices: number, { ours, insert }: Rates): Finding {
  return {
    name: `fan-out to ${devices} devices, POST to last outcome, against one insert … select of as many outcome rows`,
    value: median(ours) / median(insert),
    unit: '×',
    bound: { kind: 'at least', value: 0.1 },
    detail: `devices/s: ours ${ours.join(', ')}; insert ${insert.join(', ')}`,
  };
}

async function compare(stage: Stage, devices: number, country: string): Promise<Rates> {
  await seed(stage, devices, country);
  const rates: Rates = { ours: [], insert: [] };
  const perSecond = (ms: number): number => Math.round(devices / (ms / 1_000));
  for (let round = -1; round < ROUNDS; round += 1) {
    await fresh(stage);
    const our = await send(stage, devices, `${country} ${round}`);
    await fresh(stage);
    const insert = await timedAsync(() => stage.sql.query(PLAIN_INSERT, [devices]));
    process.stderr.write(
      `${devices} devices, round ${round}: ours ${perSecond(our)}/s, insert ${perSecond(insert)}/s\n`,
    );
    if (round < 0) continue;
    rates.ours.push(perSecond(our));
    rates.insert.push(perSecond(insert));
  }
  return rates;
}

/** Both sides write to empty tables, and neither pays for the other's dirty pages. */
async function fresh({ sql }: Stage): Promise<void> {
  await sql.query('truncate delivery, plain_delivery');
  await sql.query('CHECKPOINT');
}

/** Milliseconds until the last outcome is recorded. */
async function send(stage: Stage, devices: number, content: string): Promise<number> {
  const { sql, serviceUrl: url, account } = stage;
  const start = performance.now();
  const { bodies } = await load({
    url,
    account,
    connections: 1,
    count: 1,
    method: 'POST',
    pathOf: () => 'messages',
    bodyOf: () => JSON.stringify({ target: { type: 'ALL' }, message: messageOf(content) }),
    status: 202,
  });
  const { requestId } = JSON.parse(bodies[0] ?? '') as { requestId: string };
  for (;;) {
    const { rows } = await sql.query<{ state: string; sent: number }>(
      'select state, sent_count::int as sent from message where id = $1',
      [requestId],
    );
    const ms = performance.now() - start;
    const { state, sent } = rows[0] ?? {};
    if (state === 'FINISHED' && sent === devices) return ms;
    if (state === 'FINISHED' || state === 'FAIL') throw new Error(`${state} with ${sent} of ${devices} sent`);
    await scheduler.wait(devices > 100_000 ? 50 : 5);
  }
}

function messageOf(content: string): Record<string, unknown> {
  return {
    default: { content, custom: { campaign: content, deep: { link: 'app://news/1' } } },
    i18n: { ko: { content: `안녕 ${content}` }, ja: { content: `やあ ${content}` }, default: { content } },
  };
}

/**
 * Replaces who is there: one device a user, both push types, three languages, five offsets. In two statements: while both
 * were one, the check of a million foreign keys could be planned as scans of a table that was empty when it began.
 */
async function seed({ sql, account }: Stage, devices: number, country: string): Promise<void> {
  await sql.query('truncate push_user cascade');
  await sql.query(
    `insert into push_user (service_id, user_id, country, language, timezone, notification_agreement, ad_agreement,
                            night_ad_agreement, created_at, updated_at)
     select $1, 'user-' || i, $3, (array['ko', 'en', 'ja'])[1 + i % 3], (i % 5) * 3600, true, true, true, now(), now()
     from generate_series(1, $2::int) as i`,
    [account.serviceId, devices, country],
  );
  await sql.query('VACUUM ANALYZE push_user');
  await sql.query(
    `insert into device (service_id, user_key, device_type, device_token, token_hash, created_at, updated_at)
     select service_id, key, case when key % 2 = 0 then 'GCM' else 'APNS' end, repeat('t', 140) || user_id,
            sha256(convert_to(user_id, 'UTF8')), now(), now() from push_user order by key`,
  );
  await sql.query('VACUUM ANALYZE device');
}

const PLAIN_INSERT = `
  insert into plain_delivery (firing_id, device_id, user_key, device_type, country, language, timezone, outcome, reason, handed_at)
  select 1, i, i, 'GCM', 'KR', 'ko', 32400, 'sent', null, now() from generate_series(1, $1::int) as i`;
