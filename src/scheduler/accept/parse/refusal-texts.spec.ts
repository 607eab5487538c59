// What a refusal says, over every bad event of test/vectors/bad-events.jsonl that the event alone can be refused for: its
// reasons in full, no reason that follows from another, and words that say what is taken.
import { describe, expect, it } from 'vitest';
import { badEvent, badEvents, goodEvent } from '../../../../test/support/events/bad-events.js';
import { loadZoneRules } from '../../../zone-rules/load-zone-rules.js';
import { parseEvent } from './parse-event.js';
import type { Reason } from './reason.js';

const NOW = Date.parse('2026-11-21T03:00:00Z');
const rules = loadZoneRules();

function reasonsOf(body: Buffer, key: Buffer | null = null, headers = {}): readonly Reason[] {
  const parsed = parseEvent({ via: 'kafka', headers, body, key }, { now: NOW, rules });
  return parsed.kind === 'rejection' ? parsed.reasons : [];
}

const rows = badEvents.filter(({ category }) => category !== 'standing');

describe('a bad event', () => {
  it.each(rows)('$category: $says', (row) => {
    const { body, key, headers } = badEvent(row, NOW);
    const reasons = reasonsOf(body, key, headers);
    expect(reasons.map(({ pointer, code }) => ({ pointer, code }))).toEqual(row.expect);
    for (const { code, text } of reasons) {
      expect(text, code).toMatch(TAKEN);
      expect(text).not.toMatch(/\brecord\b(?!'s key| holds)/);
    }
  });
});

/** An example, or the whole of what is taken. */
const TAKEN =
  /such as|the (members here|types) are|must be "|must have at|must be at most|must be an object of|at most .* (bytes|are taken)|leave it out|give it (once|another|as a string)|record's key must be|this is not JSON|not UTF-8|nested more than|one record holds|is not taken: it must|must be true|leave off|exclude each other|but with FREQ/;

function textOf(data: Record<string, unknown>, envelope: Record<string, unknown> = {}): string {
  const event = goodEvent('spring', NOW);
  const whole = { ...event, ...envelope, data: { ...(event['data'] as object), ...data } };
  return reasonsOf(Buffer.from(JSON.stringify(whole)))
    .map(({ pointer, text }) => `${pointer} ${text}`)
    .join('\n');
}
const inZone = (zone: string) => ({ delivery: { at: '2037-03-01T09:00', zone } });

describe('the words', () => {
  it('name the members that are taken, and the nearest of them', () => {
    expect(textOf({ mesage: 1 })).toBe(
      '/data/mesage "mesage" is no member here; did you mean "message"?; the members here are serviceId, name, tags, messageType, audience, message, delivery, policy, planHash',
    );
    const message = { default: { content: 'x', title: 'y' } };
    expect(textOf({ message })).toContain(
      'the members here are content, custom, option, i18n; members of your own stand under "custom"',
    );
  });

  it('name the types that are taken', () => {
    expect(textOf({}, { type: 'order.created' })).toBe(
      '/type "order.created" is no type of event; the types are carillon.campaign.scheduled.v1, carillon.campaign.canceled.v1, carillon.campaign.paused.v1, carillon.campaign.resumed.v1',
    );
  });

  it('show a rule as it was sent', () => {
    const delivery = { ...inZone('Asia/Seoul').delivery, recurrence: 'freq=weekly;byday=Funday' };
    expect(textOf({ delivery })).toContain('"byday=Funday" is not taken: BYDAY takes MO to SU');
  });

  it.each(['KST', '서울', '+9', 'JST', 'Seoul', 'X'])('guess no zone for %s', (zone) => {
    expect(textOf(inZone(zone))).toContain(`${JSON.stringify(zone)} is no IANA time zone; `);
    expect(textOf(inZone(zone))).toContain('such as "Asia/Seoul"');
    expect(textOf(inZone(zone))).not.toContain('did you mean');
  });

  it('guess a zone within two letters, and say where an offset stands', () => {
    expect(textOf(inZone('Asia/Soul'))).toContain('; did you mean "Asia/Seoul"?');
    expect(textOf(inZone('+9'))).toContain('an offset belongs to at, such as "2027-03-01T09:00+09:00"');
  });

  it('call an object an object, and give an example of it', () => {
    const message = { default: { content: 'x', custom: [] } };
    expect(textOf({ message })).toBe(
      '/data/message/default/custom must be an object, such as {"page":"sale"}, not []',
    );
    expect(textOf({ audience: { type: 'USER', to: 7 } })).toContain(
      'must be an array, such as ["vip"], not 7',
    );
    expect(textOf({ policy: { pace: { perMinute: 0.5 } } })).toContain(
      'must be an integer, such as 6000, not 0.5',
    );
  });

  it('say lateness in days and hours', () => {
    expect(textOf({}, { time: '2026-10-20T01:30:00Z' })).toBe(
      '/time "2026-10-20T01:30:00Z" is 32 days 1 hour ago: at most 30 days are taken',
    );
    expect(textOf({}, { time: '2026-11-21T04:30:00Z' })).toContain('1 hour 30 minutes ahead of our clock');
  });
});
