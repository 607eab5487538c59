// What an operator may say about an uncertain send, after finding out what became of it.
export const RESOLUTIONS = ['confirmed-sent', 'confirmed-not-sent'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** `uncertain ─operator▶ sent │ failed: CONFIRMED_NOT_SENT`. */
export const RESOLVED = {
  'confirmed-sent': { state: 'sent', code: 'CONFIRMED_SENT' },
  'confirmed-not-sent': { state: 'failed', code: 'CONFIRMED_NOT_SENT' },
} as const satisfies Record<Resolution, { state: 'sent' | 'failed'; code: string }>;
