// Who gets the campaigns of the day: in each zone of the tour one user with an Android phone and one with an iPhone, from east to west.
import { DateTime } from 'luxon';
import type { DemoService, DemoUser } from '../examples.js';
import { instantOf } from './dst-night.js';

export const SERVICE_ID = 'travel-app';
export const LIST = 'travellers';

const HOMES = [
  { zone: 'Pacific/Auckland', country: 'NZ', language: 'en' },
  { zone: 'Asia/Seoul', country: 'KR', language: 'ko' },
  { zone: 'Asia/Kolkata', country: 'IN', language: 'en' },
  { zone: 'Europe/Paris', country: 'FR', language: 'fr' },
  { zone: 'America/Sao_Paulo', country: 'BR', language: 'pt' },
  { zone: 'America/New_York', country: 'US', language: 'en' },
  { zone: 'America/Los_Angeles', country: 'US', language: 'en' },
  { zone: 'Pacific/Honolulu', country: 'US', language: 'en' },
] as const;
const PHONES = ['GCM', 'APNS'] as const;

/** From east to west. */
export const ZONES: readonly string[] = HOMES.map(({ zone }) => zone);

export interface Traveller {
  readonly userId: string;
  readonly zone: string;
}

export const TRAVELLERS: readonly Traveller[] = HOMES.flatMap(({ zone }) =>
  PHONES.map((phone) => ({ userId: userOf(zone, phone), zone })),
);

/** The service with its users, whose registered offset is that of their zone on the morning of the date. */
export function travelService(date: string): DemoService {
  const users = HOMES.flatMap(({ zone, country, language }) =>
    PHONES.map((deviceType): DemoUser => {
      const userId = userOf(zone, deviceType);
      const { offset } = DateTime.fromMillis(instantOf(date, '09:00', zone), { zone });
      return {
        userId,
        country,
        language,
        timezone: offset * 60,
        devices: [{ deviceType, deviceToken: `${deviceType.toLowerCase()}-${userId}` }],
        channels: [],
        consent: { notification: true, ad: true, nightAd: false },
      };
    }),
  );
  return { serviceId: SERVICE_ID, channels: [], schedules: [], users };
}

/** The body of the upload (lists.md, "Upload a list"). */
export function listAsCsv(): string {
  return ['userId,zone', ...TRAVELLERS.map(({ userId, zone }) => `${userId},${zone}`)].join('\n');
}

function userOf(zone: string, phone: (typeof PHONES)[number]): string {
  return `${zone.split('/').at(-1)?.toLowerCase().replaceAll('_', '-') ?? ''}-${phone.toLowerCase()}`;
}
