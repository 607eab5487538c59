// push-interface.md §2.1, push-decisions.md, "Messages": why a user does not get a message, as SQL over a row `u` of push_user;
// null where the user gets it. Expanding a firing judges it, at the moment of sending.

/**
 * The second of the day by the user's own clock: UTC plus the registered seconds. Rounded down: 20:59:59.999 is not night yet.
 */
const secondOfDay = (at: string): string =>
  `mod(floor(extract(epoch from ${at}))::bigint + u.timezone, 86400)`;

/** 21:00 and 08:00, in seconds of the day. */
const NIGHT_FROM = 75_600;
const NIGHT_TO = 28_800;

/** `advertising` and `at` are SQL expressions: a boolean, and the instant that decides whether it is night. */
export function suppressedBecause(advertising: string, at: string): string {
  const second = secondOfDay(at);
  return `case when not u.notification_agreement then 'NO_NOTIFICATION_AGREEMENT'
              when ${advertising} and not u.ad_agreement then 'NO_AD_AGREEMENT'
              when ${advertising} and not u.night_ad_agreement
                and (${second} >= ${NIGHT_FROM} or ${second} < ${NIGHT_TO}) then 'NIGHT_WITHOUT_AGREEMENT'
         end`;
}

/**
 * When the next night begins, in which an advertisement must not reach the user; null where no night bounds it. Only for a user
 * who is not suppressed: for that user it is day, so the next night is today's.
 */
export function nextNight(advertising: string, at: string): string {
  return `case when ${advertising} and not u.night_ad_agreement
               then date_trunc('second', ${at}) + (${NIGHT_FROM} - ${secondOfDay(at)}) * interval '1 second'
          end`;
}

/**
 * Why a device fails at `end`. `fixed` is the end that all devices of its type share, and `reason` belongs to it. An earlier end
 * is the beginning of the night.
 */
export function endReason(end: string, fixed: string, reason: string): string {
  return `case when ${end} < ${fixed} then 'NIGHT_WITHOUT_AGREEMENT' else ${reason} end`;
}

const BREAKDOWN = 'firing_id, reason, device_type, country, language, timezone';

/**
 * Counts the devices that were left out. Fails where the firing has such counts already. `from` gives the firing_id, reason,
 * device_type, country, language and timezone of each device.
 */
export function insertLeftOut(from: string): string {
  return `insert into suppression (${BREAKDOWN}, count)
    select ${BREAKDOWN}, count(*) from ${from} group by 1, 2, 3, 4, 5, 6`;
}

/** As insertLeftOut(), but adds to the counts that the firing has. */
export function countLeftOut(from: string): string {
  return `${insertLeftOut(from)}
    on conflict (${BREAKDOWN}) do update set count = suppression.count + excluded.count`;
}
