/* oxlint-disable unicorn/no-thenable -- the contract names a member "then"; no promise meets it */
// Changes every member of an event one by one: either the planHash differs, or the plan that would run is equal in all that
// the preview of the other showed (planning.md §9). Which members there are is read from the schema of events.
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { aProject, knowing, rules } from '../../../../test/support/planning/planning.js';
import { ScheduledData } from '../../accept/parse/campaign-event.js';
import { checkScheduled } from '../../accept/parse/check-meaning.js';
import { toCampaign } from '../../accept/parse/to-campaign.js';
import { planDocument } from '../../plan/shown-plan.js';
import { policyDefaults } from '../timing/campaign-policy.js';
import { planCampaign } from './plan.js';
import { fingerprint } from './plan-hash.js';

type Json = Record<string, unknown>;

const NOW = '2027-02-01T07:00:00Z';
const USERS = { type: 'USER', to: ['anna', 'ben', 'carl', 'dora'], country: ['KR', 'US'], deviceType: 'GCM' };
const message = { default: { content: 'hello' } };
const EVENTS: Record<string, Json> = {
  'on the recipients’ clocks': {
    serviceId: 'shop-app',
    messageType: 'AD',
    audience: USERS,
    message,
    delivery: {
      at: '2027-02-01T08:00',
      zone: 'recipient',
      segments: [{ zone: 'Asia/Tokyo', audience: { ...USERS, to: ['emil', 'fay'] } }],
    },
    policy: { passedZone: 'send-now', pace: { perMinute: 1 }, night: 'defer' },
  },
  'again and again on the clock of a zone': {
    serviceId: 'shop-app',
    audience: { type: 'CHANNEL', to: ['vip'], country: ['KR', 'US'] },
    message: {
      default: {
        content: 'hello',
        custom: { page: 'sale' },
        option: { title: 'Shop' },
        i18n: { ja: { content: 'j' } },
      },
      gcm: { content: 'hello' },
      apns: { content: 'hello', option: { title: 'Shop' } },
      i18n: { default: { content: 'hello' } },
    },
    delivery: { at: '2027-02-03T12:00', zone: 'Asia/Seoul', recurrence: 'FREQ=DAILY' },
    policy: { quietHours: { start: '12:00', end: '13:00', action: 'defer' }, lateness: { max: 'PT1M' } },
  },
  'at an instant': {
    serviceId: 'shop-app',
    audience: USERS,
    message,
    delivery: { at: '2027-02-05T00:00:00Z' },
  },
  'to a list': {
    serviceId: 'shop-app',
    audience: { type: 'USER', list: 'vip-2026' },
    message,
    delivery: { at: '2027-02-05T09:00', zone: 'recipient' },
  },
  now: { serviceId: 'shop-app', audience: USERS, message, delivery: { now: true } },
  'under a schedule': {
    serviceId: 'shop-app',
    audience: { type: 'ALL' },
    message,
    delivery: { scheduleCode: 'WEEKLY', until: '2027-06-30T00:00:00Z' },
  },
};

/** Other values of the members, by path; `*` stands for the first of a list. Undefined takes the member away. */
const AUDIENCE: Record<string, unknown[]> = {
  '': [{ type: 'ALL' }, USERS],
  '/type': ['ALL', 'CHANNEL', 'USER'],
  '/to': [['ben', 'anna', 'carl', 'dora'], ['anna'], ['vip', 'other']],
  '/to/*': ['zoe'],
  '/country': [['KR'], ['KR', 'US', 'FR'], undefined],
  '/country/*': ['FR'],
  '/deviceType': ['APNS', 'GCM', undefined],
};
const CONTENT: Record<string, unknown[]> = {
  '': [{ content: 'another' }, undefined],
  '/content': ['another', undefined],
  '/custom': [{ page: 'home' }, undefined],
  '/option': [{ title: 'Store' }, undefined],
  '/i18n': [{ ja: { content: 'another' } }, undefined],
};
const OTHERS: Record<string, unknown[]> = {
  '/serviceId': ['another-app'],
  '/name': ['Spring sale'],
  '/tags': [['sale']],
  '/tags/*': ['sale'],
  '/messageType': ['AD', 'NOTIF'],
  ...under('/audience', { ...AUDIENCE, '/list': ['vip-2027'] }),
  '/message': [{ default: { content: 'another' } }],
  ...under('/message/default', CONTENT),
  ...under('/message/gcm', CONTENT),
  ...under('/message/apns', CONTENT),
  '/message/i18n': [{ default: { content: 'another' } }, undefined],
  '/delivery': [{ now: true }, { at: '2027-02-06T00:00:00Z' }],
  '/delivery/now': [true, undefined],
  '/delivery/at': ['2027-02-01T08:01', '2027-02-03T12:01', '2027-02-05T00:01:00Z', '2027-02-04T12:00'],
  '/delivery/zone': ['Asia/Tokyo', 'Europe/Paris', 'recipient'],
  '/delivery/scheduleCode': ['DAILY'],
  '/delivery/until': ['2027-07-30T00:00:00Z', undefined],
  '/delivery/recurrence': ['FREQ=WEEKLY', 'FREQ=DAILY;COUNT=2', 'FREQ=DAILY;COUNT=400', undefined],
  '/delivery/segments': [undefined],
  '/delivery/segments/*': [{ zone: 'Europe/Paris', audience: USERS }],
  '/delivery/segments/*/zone': ['Asia/Seoul', 'Europe/Paris'],
  ...under('/delivery/segments/*/audience', AUDIENCE),
  '/policy': [{}, { night: 'skip' }],
  '/policy/dst': [{ gap: 'skip' }],
  '/policy/dst/gap': ['skip', 'reject', 'forward'],
  '/policy/dst/overlap': ['second', 'reject', 'first'],
  '/policy/night': ['skip', 'consented', 'defer'],
  '/policy/quietHours': ['none', { start: '00:00', end: '23:00', action: 'skip' }],
  '/policy/quietHours/start': ['11:00'],
  '/policy/quietHours/end': ['14:00'],
  '/policy/quietHours/action': ['skip'],
  '/policy/passedZone': ['skip', 'next-day', 'reject', 'floor:America/New_York'],
  '/policy/deadline': ['PT1H', 'P2D'],
  '/policy/lateness': [{ max: 'PT2H' }],
  '/policy/lateness/max': ['PT2H', 'PT30M'],
  '/policy/lateness/then': ['send', 'expire'],
  '/policy/handoff': ['hold', 'reserve'],
  '/policy/pace': ['none', { perMinute: 7 }],
  '/policy/pace/perMinute': [3],
  '/policy/jitter': ['PT10M'],
  '/policy/split': [['deviceType'], ['country'], []],
  '/policy/split/*': ['deviceType', 'country'],
  '/policy/approval': ['required'],
  '/policy/testTo': [['zoe']],
  '/policy/testTo/*': ['zoe'],
};
/** Not a decision: which plan is asked for, and what is always rejected, as a list is the whole audience. */
const NOT_DECIDED = ['/planHash', '/delivery/segments/*/audience/list'];
/** The ids of every list, by their zones. */
const LISTED = [{ known: { source: 'given', zone: 'Asia/Seoul' }, recipients: 3 }] as const;

const directory = knowing({
  anna: 'Asia/Seoul',
  ben: 'Europe/Paris',
  carl: 'America/New_York',
  dora: 'Asia/Tokyo',
});

describe('planHash over every member of an event (planning.md §9)', () => {
  const paths = memberPaths(z.toJSONSchema(ScheduledData, { io: 'input', unrepresentable: 'any' }));

  it('knows the members of the schema', () => {
    expect(paths.length).toBeGreaterThan(50);
    expect(Object.keys(OTHERS).toSorted()).toEqual(paths.filter((path) => !NOT_DECIDED.includes(path)));
  });

  it.each(Object.keys(OTHERS))('%s: another value has another hash, or runs as it was previewed', (path) => {
    const unlike: unknown[] = [];
    let planned = 0;
    for (const event of Object.values(EVENTS)) {
      const previewed = planOf(event);
      if (previewed === undefined) throw new Error('the event itself is rejected');
      for (const value of OTHERS[path] ?? []) {
        const now = planOf(changed(event, path, value));
        planned += now === undefined ? 0 : 1;
        if (now?.hash === previewed.hash && !isDeepStrictEqual(now.shown, previewed.shown))
          unlike.push(value);
      }
    }
    expect(unlike).toEqual([]);
    expect(planned).toBeGreaterThan(0);
  });
});

/** Undefined where the event would be rejected. */
function planOf(data: Json): { readonly hash: string; readonly shown: unknown } | undefined {
  if (checkScheduled(data, rules).reasons.length > 0) return undefined;
  const campaign = toCampaign('draft', ScheduledData.parse(data), policyDefaults);
  const project = aProject({ maxTo: 1 });
  const list = campaign.audience !== null && 'list' in campaign.audience ? campaign.audience.list : undefined;
  const lists = list === undefined ? {} : { [list]: { version: `1 of ${list}`, groups: LISTED } };
  const input = {
    campaign,
    project,
    audience: { ...directory, lists },
    now: Date.parse(NOW),
    rules,
    revision: 1,
    withTest: true,
  };
  const plan = planCampaign(input);
  // What changes from minute to minute is not part of what is decided.
  const left = new Set(['mode', 'rule', 'handOffAt', 'load', 'expectedEndAt']);
  const document = { ...planDocument(plan, ''), whose: campaign.serviceId, sent: campaign.message };
  const shown: unknown = JSON.parse(
    JSON.stringify(document, (name, value: unknown) => (left.has(name) ? undefined : value)),
  );
  return { hash: fingerprint(plan, input).hash, shown };
}

/** A copy of the event with another value at the path; objects and lists on the way are made. */
function changed(event: Json, path: string, value: unknown): Json {
  const copy = structuredClone(event);
  const names = path
    .slice(1)
    .split('/')
    .map((name) => (name === '*' ? '0' : name));
  let at: Json = copy;
  for (const [index, name] of names.slice(0, -1).entries()) {
    const next = at[name];
    if (typeof next !== 'object' || next === null) at[name] = names[index + 1] === '0' ? [] : {};
    at = at[name] as Json;
  }
  const last = names.at(-1) ?? '';
  if (value === undefined) delete at[last];
  else at[last] = value;
  return copy;
}

/** The JSON pointers of every member that the schema names, with `*` for the members of a list. */
function memberPaths(schema: Json): string[] {
  const found = new Set<string>();
  const definitions = (schema['$defs'] ?? {}) as Record<string, Json>;
  const walk = (node: Json, path: string, open: readonly unknown[]): void => {
    const name = typeof node['$ref'] === 'string' ? node['$ref'].replace('#/$defs/', '') : undefined;
    const one = name === undefined ? node : definitions[name];
    if (one === undefined || open.includes(one)) return;
    for (const choice of [...((one['anyOf'] ?? []) as Json[]), ...((one['oneOf'] ?? []) as Json[])]) {
      walk(choice, path, [...open, one]);
    }
    const properties = (one['properties'] ?? {}) as Record<string, Json>;
    const items = one['items'] as Json | undefined;
    for (const [member, child] of [
      ...Object.entries(properties),
      ...(items === undefined ? [] : [['*', items] as const]),
    ]) {
      found.add(`${path}/${member}`);
      walk(child, `${path}/${member}`, [...open, one]);
    }
  };
  walk(schema, '', []);
  return [...found].toSorted();
}

function under(path: string, members: Record<string, unknown[]>): Record<string, unknown[]> {
  return Object.fromEntries(Object.entries(members).map(([name, values]) => [path + name, values]));
}
