// Night and quiet hours together (planning.md §4), judged twice in planning and once more at `fire`. Says at which instant a send
// may go; the caller applies the deadline.
import type { MessageType } from '../../../push-contract/statuses.js';
import type { DailyWindow, Policy } from './campaign-policy.js';
import type { SkipCode, WindowVerdict } from '../plan/plan-types.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { firstOutside, insideWindow, movedEnd, NIGHT_WINDOW } from './daily-window.js';

export interface WindowRule {
  readonly window: DailyWindow;
  readonly action: 'consented' | 'defer' | 'skip';
  readonly code: 'NIGHT' | 'QUIET_HOURS';
}

/** The rules that apply to a message: night only to AD, quiet hours to any. */
export function windowRules(messageType: MessageType, policy: Policy): WindowRule[] {
  const rules: WindowRule[] = [];
  if (messageType === 'AD') rules.push({ window: NIGHT_WINDOW, action: policy.night, code: 'NIGHT' });
  if (policy.quietHours !== null) {
    rules.push({ window: policy.quietHours, action: policy.quietHours.action, code: 'QUIET_HOURS' });
  }
  return rules;
}

export interface JudgedWindows {
  /** The first instant, from the given one on, that no rule defers; where a rule skips, the instant it was judged at. */
  readonly at: EpochMs;
  readonly night: WindowVerdict;
  readonly quiet: WindowVerdict;
  readonly skipped?: SkipCode;
}

export const OUTSIDE: WindowVerdict = { kind: 'outside' };

/**
 * Judges an instant on the clock of `table`. It defers again until no window applies, since one window may end inside the other. If
 * two windows leave no minute of the day free, the search ends after `giveUpAt`, and the send misses its deadline. Windows come
 * before the deadline, so an instant after the deadline is judged too.
 */
export function judgeWindows(
  instant: EpochMs,
  table: ZoneOffsets,
  rules: readonly WindowRule[],
  giveUpAt: EpochMs,
): JudgedWindows {
  let at = instant;
  const verdicts: Record<WindowRule['code'], WindowVerdict> = { NIGHT: OUTSIDE, QUIET_HOURS: OUTSIDE };
  const result = (): JudgedWindows => ({ at, night: verdicts.NIGHT, quiet: verdicts.QUIET_HOURS });
  // Only where every window defers could the search go on without end.
  const lastAt = rules.every(({ action }) => action === 'defer') ? giveUpAt : Infinity;
  let moved: boolean;
  do {
    moved = false;
    for (const { window, action, code } of rules) {
      if (!insideWindow(at, table, window)) continue;
      if (action === 'consented') {
        verdicts[code] = { kind: 'consented' };
        continue;
      }
      if (action === 'skip') {
        verdicts[code] = { kind: 'skipped' };
        return { ...result(), skipped: code };
      }
      at = firstOutside(at, table, window);
      const afterGap = movedEnd(at, table, window);
      verdicts[code] = { kind: 'deferred', to: at, ...(afterGap !== undefined && { afterGap }) };
      moved = true;
    }
  } while (moved && at <= lastAt);
  return result();
}
