import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../project.js';
import { loadAudience, loadExamples, Moment, type Expectation } from './examples.js';
import { differences, requestDifferences, type Outcome } from './verify.js';

const expectation: Expectation = {
  comment: '',
  state: 'completed',
  modes: ['reserved'],
  steps: [],
  cells: [{ zone: 'Asia/Seoul', sends: { sent: 1 }, devices: { target: 3, sent: 2, failed: 1 } }],
  deliveries: { GCM: 1, APNS: 1 },
};

const devices = { target: 3, sent: 2, failed: 1, pending: 0, unknown: 0 };
const outcome: Outcome = {
  state: 'completed',
  modes: ['reserved'],
  balanced: true,
  final: true,
  cells: [{ zone: 'Asia/Seoul', sends: { planned: 1, sent: 1 }, devices }],
  totals: { sends: { planned: 1, sent: 1 }, devices },
  delivered: { GCM: 1, APNS: 1 },
};

describe('differences', () => {
  it('finds none where expectation, report and deliveries agree', () => {
    expect(differences(expectation, outcome)).toEqual([]);
  });

  it.each<[string, Partial<Outcome>, string]>([
    ['another state', { state: 'canceled' }, 'state: expected completed, found canceled'],
    ['an unbalanced report', { balanced: false }, 'report balanced: expected true, found false'],
    ['another mode', { modes: ['immediate'] }, 'modes: expected reserved, found immediate'],
    [
      'a row too many',
      { cells: [...outcome.cells, { zone: 'UTC', sends: {}, devices: {} }] },
      'UTC: no row expected, found 1',
    ],
    ['a row too few', { cells: [] }, 'Asia/Seoul: expected one row, found 0'],
    [
      'a send nobody expected',
      { cells: [{ zone: 'Asia/Seoul', sends: { sent: 1, failed: 1 }, devices }] },
      'Asia/Seoul: sends failed: expected 0, found 1',
    ],
    [
      'devices that the report counts otherwise',
      { cells: [{ zone: 'Asia/Seoul', sends: { sent: 1 }, devices: { ...devices, target: 4 } }] },
      'Asia/Seoul: devices target: expected 3, found 4',
    ],
    [
      'a delivery too many',
      { delivered: { GCM: 2, APNS: 1 } },
      'report: sent devices against deliveries: expected 3, found 2',
    ],
  ])('names %s', (_, change, sentence) => {
    expect(differences(expectation, { ...outcome, ...change })).toContain(sentence);
  });
});

describe('requestDifferences', () => {
  it('finds none where both sides know the same requests, in whatever order', () => {
    expect(requestDifferences(['a', 'b'], ['b', 'a'])).toEqual([]);
  });

  it('names a request that was handed over and is reported by nobody, one made up, and one reported twice', () => {
    expect(requestDifferences(['a', 'doubled'], ['a'])).toEqual([
      'request doubled: taken by the push service, reported by no send',
    ]);
    expect(requestDifferences(['a'], ['a', 'made-up'])).toEqual([
      'request made-up: reported by a send, never taken',
    ]);
    expect(requestDifferences(['a'], ['a', 'a'])).toEqual(['request a: reported by two sends']);
  });
});

describe('the examples', () => {
  const dir = join(projectRoot, 'examples');
  const moment = new Moment(Date.parse('2026-12-31T23:59:30Z'));

  it('each have an event with a subject of its own and an expectation', () => {
    const examples = loadExamples(dir, moment);
    const files = readdirSync(dir).filter((file) => file.endsWith('.expect.json'));
    expect(examples.map((example) => `${example.name}.expect.json`)).toEqual(files.toSorted());
    expect(new Set(examples.map((example) => example.event.subject)).size).toBe(examples.length);
    expect(examples.length).toBeGreaterThanOrEqual(6);
  });

  it('speak of a reservable minute that is at least 35 s ahead, on each clock', () => {
    expect(moment.value('reservable')).toBe('2027-01-01T00:01:00.000Z');
    expect(moment.value('reservable Asia/Seoul')).toBe('2027-01-01T09:01');
  });

  it('put night owls where it is night and larks where it is noon', () => {
    expect(moment.value('offsetAtNight')).toBe(3 * 3_600);
    expect(moment.value('offsetAtNoon')).toBe(-11 * 3_600);
    expect(loadAudience(dir, moment).flatMap((service) => service.users)).not.toHaveLength(0);
  });

  it('never reach the broker with a placeholder that nobody knows', () => {
    expect(() => moment.value('tomorrow')).toThrow('{{tomorrow}}');
  });
});
