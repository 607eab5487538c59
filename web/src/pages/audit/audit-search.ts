// The filters of the audit, as they stand in its address.
import type { AuditFilter } from '../../api/access.ts';
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

export const AUDIT_RANGES = ['24h', '7d', '30d', 'all'] as const;

export interface AuditSearch {
  /** Left out: the last seven days. */
  readonly range?: (typeof AUDIT_RANGES)[number] | undefined;
  readonly who?: string | undefined;
  readonly action?: string | undefined;
  readonly target?: string | undefined;
  readonly service?: string | undefined;
}

export function searchOfAudit(given: Record<string, unknown>): AuditSearch {
  return chosen({
    range: wordIn(given, 'range', AUDIT_RANGES),
    who: textIn(given, 'who', 200),
    action: textIn(given, 'action', 64),
    target: textIn(given, 'target', 200),
    service: textIn(given, 'service'),
  });
}

const HOUR_MS = 3_600_000;
const HOURS = { '24h': 24, '7d': 168, '30d': 720 } as const;

/** `now`: the server's, epoch milliseconds; a range begins at a whole hour. */
export function auditFilter(
  { range = '7d', who, action, target, service }: AuditSearch,
  now: number,
): AuditFilter {
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS;
  return {
    ...(range !== 'all' && { from: new Date(hour - HOURS[range] * HOUR_MS).toISOString() }),
    ...(who !== undefined && { who }),
    ...(action !== undefined && { action }),
    ...(target !== undefined && { target }),
    ...(service !== undefined && { serviceId: service }),
  };
}
