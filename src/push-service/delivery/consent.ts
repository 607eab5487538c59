// push-interface.md §2.1, push-decisions.md, "Messages": why a user gets nothing of a message, as SQL over a row `u` of
// push_user; null for one who gets it. Judged when targets are laid down, at the moment of sending.

/** The second of the day by the user's own clock: UTC plus the registered seconds. Floored: 20:59:59.999 is not yet night. */
const secondOfDay = (at: string): string =>
  `mod(floor(extract(epoch from ${at}))::bigint + u.timezone, 86400)`;

/** 21:00 and 08:00, in seconds of the day. */
const NIGHT_FROM = 75_600;
const NIGHT_TO = 28_800;

/** `advertising` and `at` are SQL expressions: a boolean, and the instant by which night is judged. */
export function suppressedBecause(advertising: string, at: string): string {
  const second = secondOfDay(at);
  return `case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when ${advertising} and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when ${advertising} and not u.night_ad_agreement
                and (${second} >= ${NIGHT_FROM} or ${second} < ${NIGHT_TO}) then 'NIGHT_WITHOUT_AGREEMENT'
         end`;
}

/**
 * When the next night begins, in which an advertisement must not reach the user; null where there is no such bound. Only for
 * a user who is not suppressed: it is day then, so the next night is today's.
 */
export function nextNight(advertising: string, at: string): string {
  return `case when ${advertising} and not u.night_ad_agreement
               then date_trunc('second', ${at}) + (${NIGHT_FROM} - ${secondOfDay(at)}) * interval '1 second'
          end`;
}

/**
 * The reason that devices fail with at `end`: the night's where it comes before `fixed`, the end that all devices of their
 * type share; else `reason`, which belongs to `fixed`.
 */
export function endReason(end: string, fixed: string, reason: string): string {
  return `case when ${end} < ${fixed} then 'NIGHT_WITHOUT_AGREEMENT' else ${reason} end`;
}

const BREAKDOWN = 'firing_id, reason, device_type, country, language, timezone';

/**
 * Counts devices that were left out, where the firing has no counts yet: that it has some is an error. `from` gives the
 * firing_id, reason, device_type, country, language and timezone of each device.
 */
export function insertLeftOut(from: string): string {
  return `insert into suppression (${BREAKDOWN}, count)
    select ${BREAKDOWN}, count(*) from ${from} group by 1, 2, 3, 4, 5, 6`;
}

/** The same, added to the counts that the firing has. */
export function countLeftOut(from: string): string {
  return `${insertLeftOut(from)}
    on conflict (${BREAKDOWN}) do update set count = suppression.count + excluded.count`;
}
