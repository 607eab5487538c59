// Generated events: a good one with any value in any one place, any JSON, any bytes. For fast-check.
import fc from 'fast-check';

/** As a structured CloudEvent, with every part that an event may have. */
export const wholeEvent = {
  specversion: '1.0',
  id: 'e-1',
  source: '/shop',
  type: 'carillon.campaign.scheduled.v1',
  subject: 'spring',
  time: '2026-11-21T03:00:00Z',
  data: {
    serviceId: 'shop-app',
    audience: { type: 'CHANNEL', to: ['vip'], country: ['KR'], deviceType: null },
    message: { default: { content: 'x', custom: { a: 1 }, option: {}, i18n: { ja: { content: 'y' } } } },
    delivery: {
      at: '2027-03-01T09:00',
      zone: 'recipient',
      segments: [{ zone: 'Asia/Seoul', audience: { type: 'ALL' } }],
    },
    policy: { night: 'defer', lateness: { max: 'PT30M' }, dst: { gap: 'forward' } },
  },
};

const wildValue = fc.oneof(
  fc.jsonValue(),
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom('', ' ', '\u0000', '\ud800', '2027-02-30T09:00', 'P1M', -0, 1e21, '__proto__'),
);

/** Bytes of `event` with any value in any one place. */
export function bentEvent(event: object): fc.Arbitrary<Buffer> {
  return fc
    .tuple(fc.constantFrom(...pathsOf(event)), wildValue)
    .map(([path, by]) => Buffer.from(JSON.stringify(replaced(event, path, by)) ?? ''));
}

export const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes));
export const anyJson = fc.json({ maxDepth: 6 }).map((text) => Buffer.from(text));

/** Every place of the event, as a path of names. */
function pathsOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...path, name]))];
}

function replaced(value: unknown, [name, ...rest]: readonly string[], by: unknown): unknown {
  if (name === undefined) return by;
  const copy = structuredClone(value) as Record<string, unknown>;
  copy[name] = replaced(copy[name], rest, by);
  return copy;
}
