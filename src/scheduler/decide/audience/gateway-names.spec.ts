import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan } from '../../../../test/support/planning/planning.js';
import type { Audience } from '../plan/campaign.js';
import { gatewayNames, nameWarnings } from './gateway-names.js';

const channels = (...to: string[]): Audience => ({ type: 'CHANNEL', to, deviceType: null, country: [] });
const everybody: Audience = { type: 'ALL', deviceType: null, country: [] };

describe('the names that only a gateway knows', () => {
  it('are channels, of the audience and of segments, each once, and the schedule', () => {
    const segments = [
      { zone: 'Asia/Seoul', audience: channels('vip', 'seoul') },
      { zone: 'Asia/Tokyo', audience: everybody },
    ];
    expect(
      gatewayNames({
        audience: channels('news', 'vip'),
        delivery: { kind: 'recipient', local: '2027-03-01T09:00', segments },
      }),
    ).toEqual([
      { kind: 'channel', name: 'news', pointer: '/audience/to/0' },
      { kind: 'channel', name: 'vip', pointer: '/audience/to/1' },
      { kind: 'channel', name: 'seoul', pointer: '/delivery/segments/0/audience/to/1' },
    ]);
    expect(
      gatewayNames({ audience: everybody, delivery: { kind: 'schedule', scheduleCode: 'WEEKLY' } }),
    ).toEqual([{ kind: 'schedule', name: 'WEEKLY', pointer: '/delivery/scheduleCode' }]);
    expect(gatewayNames({ audience: everybody, delivery: { kind: 'now' } })).toEqual([]);
  });

  it('are ten at most, a schedule among them that is called as a channel is', () => {
    const many = channels(...Array.from({ length: 1_000 }, (_, index) => `c${index}`));
    const names = gatewayNames({ audience: many, delivery: { kind: 'schedule', scheduleCode: 'c0' } });
    expect(names.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      'schedule c0',
      ...Array.from({ length: 9 }, (_, index) => `channel c${index}`),
    ]);
  });

  it('are warned of where they are unknown, and a plan has it', () => {
    const campaign = aCampaign({ kind: 'now' }, { audience: channels('vip', 'vipp') });
    const unknown = [{ kind: 'channel', name: 'vipp' }] as const;
    expect(nameWarnings(campaign, unknown)).toEqual([
      {
        code: 'UNKNOWN_CHANNEL',
        text: 'the push service knows no channel "vipp": nobody gets it there, unless it is made before',
        pointer: '/audience/to/1',
      },
    ]);
    const facts = { zoneOf: () => undefined, unknownNames: unknown };
    const { warnings } = aPlan(campaign, '2027-02-01T00:00Z', { audience: facts });
    expect(warnings.map(({ code }) => code)).toContain('UNKNOWN_CHANNEL');
  });
});
