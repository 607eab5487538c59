// push-interface.md §2.1, push-decisions.md, "Messages": why a user gets nothing of a message, as SQL over a row `u` of push_user; null for
// one who gets it. Judged where targets are laid down, at the moment of sending.

/** `advertising` and `at` are expressions: a boolean, and the instant by which night is judged. */
export function suppressedBecause(advertising: string, at: string): string {
  return `case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when ${advertising} and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when ${advertising} and not u.night_ad_agreement and ${isNight(at)} then 'NIGHT_WITHOUT_AGREEMENT'
         end`;
}

/** [21:00, 08:00) by the user's own clock: UTC plus the registered seconds. Floored: 20:59:59.999 is no night. */
function isNight(at: string): string {
  const second = `mod(floor(extract(epoch from ${at}))::bigint + u.timezone, 86400)`;
  return `(${second} >= 75600 or ${second} < 28800)`;
}

/**
 * When the night begins that an advertisement must not reach the user in; null where there is none. For a user who is not
 * suppressed: it is day, so the next night is today's.
 */
export function nextNight(advertising: string, at: string): string {
  return `case when ${advertising} and not u.night_ad_agreement
               then date_trunc('second', ${at}) + (75600 - mod(floor(extract(epoch from ${at}))::bigint + u.timezone, 86400)) * interval '1 second'
          end`;
}

/** What a chunk's devices, all of one `type` and `end`, fail with at its end: `fixed` is that of the type, and `reason` its. */
export function endReason(end: string, fixed: string, reason: string): string {
  return `case when ${end} < ${fixed} then 'NIGHT_WITHOUT_AGREEMENT' else ${reason} end`;
}
