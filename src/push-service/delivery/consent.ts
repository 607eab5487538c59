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
