// NOTIFY channels: what one statement sends after it made work, another process's loop of that name wakes on.
// The payload is always empty; a lost notification costs at most the time to the next probe (work-due.store.ts).
export const CHANNELS = {
  plan: 'carillon_plan',
  lookup: 'carillon_lookup',
  dispatch: 'carillon_dispatch',
  follow: 'carillon_follow',
  cancel: 'carillon_cancel',
  'take-back': 'carillon_take_back',
  close: 'carillon_close',
  publish: 'carillon_publish',
  outbox: 'carillon_outbox',
  retries: 'carillon_retries',
  resolves: 'carillon_resolves',
  /** Not a loop: a token was revoked, a project or its keys changed; caches forget. */
  access: 'carillon_access',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];
