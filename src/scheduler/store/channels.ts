// NOTIFY channels: a statement that makes work notifies a channel, and the loops of that name wake in every process. The payload is
// always empty, but for `changes`. A lost notification costs at most the time to the next probe (work-due.store.ts).
export const CHANNELS = {
  plan: 'carillon_plan',
  lookup: 'carillon_lookup',
  dispatch: 'carillon_dispatch',
  follow: 'carillon_follow',
  cancel: 'carillon_cancel',
  acts: 'carillon_acts',
  recall: 'carillon_recall',
  close: 'carillon_close',
  publish: 'carillon_publish',
  outbox: 'carillon_outbox',
  erasures: 'carillon_erasures',
  'zone-rules': 'carillon_zone_rules',
  /** Sets of sends that are retried or resolved. */
  sets: 'carillon_sets',
  /** Not a loop: its payload says what changed, for those who look now (change.store.ts). */
  changes: 'carillon_changes',
  /** Not a loop: a token was revoked, or a project or its keys changed, so caches are emptied. */
  access: 'carillon_access',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];
