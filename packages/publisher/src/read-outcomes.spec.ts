import { describe, expect, it } from 'vitest';
import { outcomeOf } from './read-outcomes.js';

const bytes = (event: unknown): Buffer => Buffer.from(JSON.stringify(event));

describe('an outcome', () => {
  it.each(['campaign.completed', 'occurrence.skipped', 'send.uncertain', 'campaign.revision-rejected'])(
    'is read of %s',
    (what) => {
      const event = { type: `carillon.outcome.${what}.v1`, subject: 'spring' };
      expect(outcomeOf(bytes(event))).toEqual(event);
    },
  );

  it.each<[what: string, value: Buffer | null]>([
    ['a tombstone', null],
    ['what is no JSON', Buffer.from('{')],
    ['null', bytes(null)],
    ['an event of somebody else', bytes({ type: 'shop.order.placed.v1' })],
    ['an event of ours that is none', bytes({ type: 'carillon.event.rejected.v1' })],
    ['a later version, whose members nobody knows', bytes({ type: 'carillon.outcome.send.sent.v2' })],
  ])('is not %s', (_, value) => {
    expect(outcomeOf(value)).toBeUndefined();
  });
});
