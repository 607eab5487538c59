import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { planCommand } from './plan.command.js';
import { UsageError } from './usage-error.js';

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
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  process.exitCode = undefined;
  await planCommand()
    .exitOverride()
    .parseAsync(['node', 'plan', file, '--now', '2027-03-14T00:00:00Z', ...options]);
  return process.exitCode;
}

describe('carillon plan', () => {
  it('tells the zones in order of instant, with the reasons of every decision, warnings and load', async () => {
    expect(await plan(event)).toBeUndefined();
    const lines = printed.split('\n').map((line) => line.trim());
    expect(lines[0]).toBe('campaign spring-sale, planned at 2027-03-14 00:00Z');
    expect(lines[1]).toMatch(/^zone rules 20\d\d[a-z] \(\d+ years behind\) from /);
    const at = (start: string): number => lines.findIndex((line) => line.startsWith(start));
    expect(at('–')).toBeGreaterThan(0);
    expect(
      at('2027-03-14 07:30Z  Sun 2027-03-14 03:30 -04:00  America/New_York (given)  1 to 2'),
    ).toBeGreaterThan(at('–'));
    expect(printed).toContain('2027-03-14T02:30 does not exist there: moved past the gap');
    expect(printed).toContain('nobody knows its zone; it was over there already; PASSED_ZONE');
    expect(printed).toContain('PROVISIONAL: 1 ids');
    expect(printed).toContain('3 cells, 3 requests (2 skipped), 4 recipients (1 of them by fallback)');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
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

  it('plans by the project it is told of', async () => {
    const ad = {
      ...data,
      audience: { type: 'ALL', country: ['US'] },
      delivery: { at: '2027-03-15T09:00', zone: 'recipient' },
    };
    await plan(ad, '--principal', 'US=America/Denver', '--no-reservations');
    expect(printed).toContain('America/Denver (country) US');
    expect(printed).toContain('immediate HELD_BY_POLICY');
  });

  it('tells every reason why an event would be rejected, and ends with 1', async () => {
    expect(
      await plan({ ...data, delivery: { at: '2027-03-14T02:30', zone: 'America/New_Yrok' }, tag: 1 }),
    ).toBe(1);
    expect(printed).toContain('/data/delivery/zone ZONE_UNKNOWN');
    expect(printed).toContain('did you mean "America/New_York"?');
    expect(printed).toContain('/data/tag UNKNOWN_MEMBER');
  });

  it('tells a refusal of planning, and ends with 1', async () => {
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

  it('says which file is missing, and which option is wrong', async () => {
    await expect(planCommand().parseAsync(['node', 'plan', join(folder, 'none.json')])).rejects.toThrow(
      'there is no such file',
    );
    await expect(plan(data, '--principal', 'USA')).rejects.toThrow('US=America/New_York');
    await expect(plan(data, '--rate', '0')).rejects.toThrow(UsageError);
  });
});
