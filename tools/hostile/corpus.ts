// The most costly requests that a stranger with a publisher's token can send: plans that a few kilobytes ask for, and bodies that
// take long to read. Specs assert that each is refused. bench:loop-hold measures how long each holds the event loop.

type Json = Readonly<Record<string, unknown>>;

interface HostilePlan {
  readonly name: string;
  /** The data of a scheduled event. */
  readonly data: Json;
  readonly refused: 'TOO_MANY_CELLS' | 'PLAN_TOO_LARGE' | undefined;
}

/** Tomorrow: what lies further off than 35 days is not planned yet. */
const AT = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T09:00`;

function times<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

function data(serviceId: string, members: Json): Json {
  return { serviceId, message: { default: { content: 'hello' } }, ...members };
}

const segments = (count: number, audience: (index: number) => Json): Json[] =>
  times(count, (index) => ({ zone: 'Asia/Seoul', audience: audience(index) }));
const persons = (count: number): Json[] =>
  segments(count, (index) => ({ type: 'USER', to: [`user-${index}`] }));
const countries = times(250, (index) => String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26)));
const onRecipientClock = (recurrence: string, more: Json = {}): Json => ({
  delivery: { at: AT, zone: 'recipient', recurrence, ...more },
});

export function hostilePlans(serviceId: string): HostilePlan[] {
  const hourly = 'FREQ=HOURLY;COUNT=100000';
  return [
    {
      name: '3 000 USER segments, hourly',
      data: data(serviceId, onRecipientClock(hourly, { segments: persons(3_000) })),
      refused: 'TOO_MANY_CELLS',
    },
    {
      name: '300 segments of 250 countries each, split by both',
      data: data(serviceId, {
        delivery: {
          at: AT,
          zone: 'recipient',
          segments: segments(300, (index) => ({ type: 'CHANNEL', to: [`c-${index}`], country: countries })),
        },
        audience: { type: 'CHANNEL', to: ['vip'], country: ['KR'] },
        policy: { split: ['deviceType', 'country'] },
      }),
      refused: 'TOO_MANY_CELLS',
    },
    {
      name: '20 000 users, hourly',
      data: data(serviceId, {
        ...onRecipientClock(hourly),
        audience: { type: 'USER', to: times(20_000, (index) => `user-${index}`) },
      }),
      refused: 'PLAN_TOO_LARGE',
    },
    {
      name: '1 000 long channels, hourly',
      data: data(serviceId, {
        ...onRecipientClock(hourly),
        audience: { type: 'CHANNEL', to: times(1_000, (index) => String(index).padStart(250, 'c')) },
      }),
      refused: 'PLAN_TOO_LARGE',
    },
  ];
}

/** The largest plans that are taken: one of many cells in many occurrences, and one of many users. */
export function largePlans(serviceId: string, scale = 1): HostilePlan[] {
  return [
    {
      name: `${Math.round(1_300 * scale)} segments, daily`,
      data: data(serviceId, onRecipientClock('FREQ=DAILY', { segments: persons(Math.round(1_300 * scale)) })),
      refused: undefined,
    },
    {
      name: `${Math.round(50_000 * scale)} users, once`,
      data: data(serviceId, {
        delivery: { at: AT, zone: 'recipient' },
        audience: { type: 'USER', to: times(Math.round(50_000 * scale), (index) => `u${index}`) },
      }),
      refused: undefined,
    },
  ];
}

interface HostileBody {
  readonly name: string;
  readonly body: string;
}

/** Bodies of about a megabyte that no event may have. */
export function hostileBodies(): HostileBody[] {
  return [
    { name: '80 000 unknown members', body: JSON.stringify(unknownMembers(80_000)) },
    {
      name: '450 000 numbers where a text is due',
      body: JSON.stringify({ data: { audience: { to: times(450_000, () => 5) } } }),
    },
    { name: 'half a million brackets', body: `${'['.repeat(500_000)}${']'.repeat(500_000)}` },
    { name: 'a member given 90 000 times', body: `{${times(90_000, () => '"same":1').join(',')}}` },
    { name: 'a text of a megabyte, all escapes', body: JSON.stringify({ id: '\\'.repeat(500_000) }) },
  ];
}

export function unknownMembers(count: number): Json {
  return Object.fromEntries(times(count, (index) => [`m${index}`, 1]));
}

/** A batch of so many bytes, about; its events are of no known type. */
export function hostileBatch(bytes: number): string {
  const event = JSON.stringify({ specversion: '1.0', type: 'unknown', data: unknownMembers(1_200) });
  return `[${times(Math.floor(bytes / event.length), () => event).join(',')}]`;
}
