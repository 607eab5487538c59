// Campaigns to begin from. `day` is a local date; the server judges whether its hours are still to come somewhere. Pure.

export const EXAMPLES = ['recipients', 'now', 'advertisement'] as const;
export type Example = (typeof EXAMPLES)[number];

export function exampleOf(example: Example, serviceId: string, day: string): string {
  const message = { default: { content: 'Hello', option: { title: serviceId } } };
  const common = { serviceId, name: 'My campaign', audience: { type: 'USER', to: ['user-1'] }, message };
  const data = {
    recipients: { ...common, delivery: { at: `${day}T09:00`, zone: 'recipient' } },
    now: { ...common, delivery: { now: true } },
    advertisement: {
      ...common,
      messageType: 'AD',
      message: { default: { content: '(Ad) Our sale begins', option: { title: serviceId } } },
      delivery: { at: `${day}T20:30`, zone: 'recipient' },
      policy: { night: 'defer', passedZone: 'skip' },
    },
  }[example];
  return JSON.stringify(data, null, 2);
}

/** The day after now on this browser's clock, `2027-03-01`. */
export function dayAfter(now: number): string {
  const day = new Date(now);
  day.setDate(day.getDate() + 1);
  const part = (value: number): string => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${part(day.getMonth() + 1)}-${part(day.getDate())}`;
}
