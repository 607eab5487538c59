// NOTIFY channels: what one statement sends after it made work, another process's loop of that name wakes on.
// The payload is always empty; a lost notification costs at most the loop's idle time.
export const CHANNELS = {
  plan: 'carillon_plan',
  dispatch: 'carillon_dispatch',
  follow: 'carillon_follow',
  close: 'carillon_close',
  publish: 'carillon_publish',
} as const;
export type Channel = (typeof CHANNELS)[keyof typeof CHANNELS];
