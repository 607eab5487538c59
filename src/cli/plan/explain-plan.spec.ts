import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { carillon } from '../carillon-commands.js';
import { UsageError } from '../shell/usage-error.js';

const folder = mkdtempSync(join(tmpdir(), 'carillon plan '));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const data = {
  serviceId: 'shop-app',
  audience: { type: 'USER', to: ['anna'] },
  message: { default: { content: 'hello' } },
  delivery: {
    at: '2027-03-14T02:30',
    zone: 'recipient',
    segments: [
      { zone: 'America/New_York', audience: { type: 'USER', to: ['ben', 'carl'] } },
      { zone: 'Asia/Calcutta', audience: { type: 'USER', to: ['dora'] } },
    ],
  },
};
const event = { specversion: '1.0', type: 'carillon.campaign.scheduled.v1', subject: 'spring-sale', data };

let printed = '';
let exitCode: number | string | null | undefined;

beforeEach(() => {
  printed = '';
  exitCode = process.exitCode;
  vi.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
    printed += String(chunk);
    return true;
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = exitCode ?? undefined;
});

async function plan(content: unknown, ...options: string[]): Promise<number | string | null | undefined> {
  const file = join(folder, 'event.json');
  writeFileSync(
    file,
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  );
  process.exitCode = undefined;
  await carillon().parseAsync([
    'node',
    'carillon',
    'plan',
    file,
    '--now',
    '2027-03-14T00:00:00Z',
    ...options,
  ]);
  return process.exitCode;
}

describe('carillon plan', () => {
  it('takes UTF-8 with a byte order mark, and refuses what is not UTF-8', async () => {
    expect(await plan(`\uFEFF${JSON.stringify(event)}`)).toBeUndefined();
    const korean = Buffer.concat([
      Buffer.from('{"message":"'),
      Buffer.from('bec8b3e7', 'hex'),
      Buffer.from('"}'),
    ]);
    await expect(plan(korean)).rejects.toThrow('event.json is not UTF-8 (it may be CP949');
  });

  it('shows the zones in order of instant, with the reasons of every decision, warnings and load', async () => {
    expect(await plan(event)).toBeUndefined();
    const lines = printed.split('\n').map((line) => line.trim());
    expect(lines[0]).toBe('campaign spring-sale, planned at 2027-03-14 00:00Z');
    expect(lines[1]).toBe(
      'for a project in Asia/Seoul, 10 requests a second, 1000 userIds in a request (see --help)',
    );
    expect(lines[2]).toMatch(/^zone rules 20\d\d[a-z] \(\d+ years? behind\) from /);
    const at = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    expect(at('–')).toBeGreaterThan(0);
    expect(
      at('2027-03-14 07:30Z  Sun 2027-03-14 03:30 -04:00  America/New_York (given)  1 request, 2 users'),
    ).toBeGreaterThan(at('–'));
    expect(printed).toContain('2027-03-14 02:30 does not exist there: moved past the gap');
    expect(printed).toContain(
      'nobody knows the zone of its recipients; 2027-03-14 02:30 was over there already; PASSED_ZONE',
    );
    expect(printed).toContain(
      "PROVISIONAL: userIds whose zones are not known yet, and are shown by the project's default zone",
    );
    expect(printed).toContain('3 cells, 3 requests (2 skipped), 4 recipients (1 of them by fallback)');
    expect(printed).toContain("fallback: the project's default zone, for recipients without another");
    expect(printed).toContain('reserved RESERVABLE: given to the push service now, which sends it at due');
    expect(Math.max(...printed.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  const thousand = (): unknown => ({
    ...data,
    audience: null,
    delivery: {
      at: '2027-03-15T09:00',
      zone: 'recipient',
      // In a zone with a long name, so that no line of it fits a narrow terminal by itself.
      segments: Array.from({ length: 600 }, (_, index) => ({
        zone: 'America/Argentina/Buenos_Aires',
        audience: { type: 'CHANNEL', to: [`channel-${index}`] },
      })),
    },
    policy: { split: ['deviceType'], jitter: 'PT10M' },
  });

  it.each([80, 100, 120])('keeps to a terminal of %i columns, 1 200 cells too', async (columns) => {
    const { isTTY, columns: before } = process.stdout;
    Object.assign(process.stdout, { isTTY: true, columns });
    try {
      await plan(thousand());
      await plan({
        ...data,
        messageType: 'AD',
        policy: { night: 'defer', passedZone: 'floor:Asia/Kolkata' },
      });
      await plan({ ...data, delivery: { ...data.delivery, zone: 'Mars/Base', recurrence: 'FREQ=NEVER' } });
    } finally {
      Object.assign(process.stdout, { isTTY, columns: before });
    }
    const lines = printed.split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
    expect(printed).toContain('… and 1140 more cells (--json has them all)');
    expect(printed).toContain('1200 cells, 1200 requests');
    expect(lines.length).toBeLessThan(300);
  });

  it('sums up the occurrences of a recurrence that the table has no room for', async () => {
    const zones = ['Asia/Seoul', 'Asia/Tokyo', 'Europe/Paris', 'America/New_York', 'America/Denver'];
    await plan({
      ...data,
      audience: null,
      delivery: {
        at: '2027-03-15T09:00',
        zone: 'recipient',
        recurrence: 'FREQ=DAILY',
        segments: zones.map((zone) => ({ zone, audience: { type: 'USER', to: [zone] } })),
      },
    });
    expect(printed.match(/^ {2}due \(UTC\)/gm)).toHaveLength(1);
    expect(printed).toContain('occurrence 2027-03-26T09:00\n  2027-03-26 00:00Z');
    expect(printed).toContain(
      'occurrence 2027-03-27T09:00: 5 cells from 2027-03-27 00:00Z to 2027-03-27 15:00Z',
    );
    expect(printed).toMatch(/further occurrences are planned from \S+ \S+Z on/);
  });

  it('says of a standing message that it fires by its schedule, and of a late one how late it is', async () => {
    await plan({ ...data, delivery: { scheduleCode: 'WEEKLY' } });
    expect(printed).toMatch(
      /^ {2}– {10,}by its schedule {2,}Asia\/Seoul \(project\) {2,}1 request, 1 user /m,
    );
    printed = '';
    expect(await plan({ ...data, delivery: { at: '2027-03-13T20:00:00Z' } })).toBe(1);
    expect(printed).toContain('REFUSED TIME_PASSED: the time was over 4 hours before');
    printed = '';
    expect(await plan({ ...data, delivery: { at: '2027-03-13T09:00', zone: 'recipient' } })).toBe(3);
    expect(printed).toContain('NOTHING_WILL_LEAVE: by the zones that are known now, nothing will leave');
    expect(printed).toContain('(1 skipped), 1 recipient (1 of them by fallback)\nnothing leaves');
  });

  it('takes data alone, and gives programs one JSON document with the same plan', async () => {
    await plan(event, '--json');
    const ofEvent = JSON.parse(printed) as {
      planHash: string;
      occurrences: { cells: { dueAt: string; zone: string }[] }[];
    };
    printed = '';
    await plan(data, '--json');
    expect(JSON.parse(printed)).toEqual(ofEvent);
    expect(ofEvent.planHash).toMatch(/^[0-9a-f]{64}$/);
    expect(ofEvent.occurrences[0]?.cells.find(({ zone }) => zone === 'America/New_York')?.dueAt).toBe(
      '2027-03-14T07:30:00.000Z',
    );
  });

  it('plans by the defaults of the contract where the event says nothing', async () => {
    await plan({ ...data, delivery: { now: true } }, '--json');
    expect((JSON.parse(printed) as { policy: unknown }).policy).toEqual({
      dst: { gap: 'forward', overlap: 'first' },
      night: 'consented',
      quietHours: null,
      passedZone: 'skip',
      deadline: 'P1D',
      lateness: JSON.parse('{ "max": "PT30M", "then": "expire" }') as unknown,
      handoff: 'reserve',
      pace: null,
      jitter: null,
      split: [],
      approval: 'none',
      testTo: [],
    });
  });

  it('plans by the project in its options', async () => {
    const ad = {
      ...data,
      audience: { type: 'ALL', country: ['US'] },
      delivery: { at: '2027-03-15T09:00', zone: 'recipient' },
    };
    await plan(ad, '--principal', 'US=America/Denver', '--no-reservations');
    expect(printed).toContain('America/Denver (country) US');
    expect(printed).toContain('immediate HELD_BY_POLICY');
  });

  it('names every reason why an event would be rejected, and ends with 1', async () => {
    expect(
      await plan({ ...data, delivery: { at: '2027-03-14T02:30', zone: 'America/New_Yrok' }, tag: 1 }),
    ).toBe(1);
    expect(printed).toContain('/data/delivery/zone ZONE_UNKNOWN');
    // Lines end where the terminal does.
    expect(printed.replaceAll(/\s+/g, ' ')).toContain('did you mean "America/New_York"?');
    expect(printed).toContain('/data/tag UNKNOWN_MEMBER');
  });

  it('says that only the scheduler has the ids of a list', async () => {
    const delivery = { at: '2027-03-15T09:00', zone: 'recipient' };
    const listed = { ...data, audience: { type: 'USER', list: 'vip-2027' }, delivery };
    await expect(plan(listed)).rejects.toThrow('only the scheduler has the list vip-2027: add --online');
  });

  it('says that an audience is empty, and that a file of examples/ is a template', async () => {
    expect(await plan({ ...data, audience: { type: 'USER', to: [] } })).toBe(1);
    expect(printed).toContain('/data/audience/to TOO_SHORT');
    printed = '';
    expect(await plan({ ...data, delivery: { at: '{{reservable}}' } })).toBe(1);
    expect(printed).toContain('{{reservable}} stands for what the demo fills in: put a value there first');
  });

  it('says why planning refuses it, and ends with 1', async () => {
    const segments = ['Asia/Seoul', 'Asia/Tokyo'].map((zone) => ({
      zone,
      audience: { type: 'CHANNEL', to: ['vip'] },
    }));
    const { audience: _audience, ...rest } = data;
    expect(await plan({ ...rest, delivery: { ...data.delivery, segments } })).toBe(1);
    expect(printed).toContain('REFUSED SEGMENTS_OVERLAP');
  });

  it.each([
    ['no JSON', '{'],
    ['no object', '[]'],
    ['an event of another type', { ...event, type: 'carillon.campaign.canceled.v1' }],
  ])('does not take %s for a campaign', async (_name, content) => {
    await expect(plan(content)).rejects.toThrow(UsageError);
  });

  it('says in which line the JSON is wrong', async () => {
    await expect(plan('{\n  "serviceId": "shop-app",\n}')).rejects.toThrow('(line 3, column 1)');
  });

  it('says which file is missing or none, and which option is wrong', async () => {
    await expect(carillon().parseAsync(['node', 'carillon', 'plan', folder])).rejects.toThrow(
      'it is a folder',
    );
    await expect(plan(data, '--zone', 'Mars/Base')).rejects.toThrow('--zone Mars/Base: there is no such');
    await expect(plan(data, '--principal', 'US=Mars/Base')).rejects.toThrow('--principal Mars/Base');
    await expect(
      carillon().parseAsync(['node', 'carillon', 'plan', join(folder, 'none.json')]),
    ).rejects.toThrow('there is no such file');
    await expect(plan(data, '--principal', 'USA')).rejects.toThrow('US=America/New_York');
    await expect(plan(data, '--rate', '0')).rejects.toThrow(UsageError);
  });
});
