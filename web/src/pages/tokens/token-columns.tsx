// A token in a line. The token itself is never read again.
import { Button } from '@mantine/core';
import type { Token } from '../../api/access.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import type { Column } from '../../parts/table/data-table.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './tokens.module.css';

/** Within this time one should make the next one. */
const SOON_MS = 14 * 86_400_000;

export function useTokenColumns(revoke: (token: Token) => void): readonly Column<Token>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  const may = useMay();
  const { now } = useClock();
  return [
    {
      key: 'name',
      head: text('campaigns.name'),
      title: true,
      cell: ({ name }) => <strong>{name}</strong>,
    },
    {
      key: 'roles',
      head: text('tokens.roles'),
      cell: ({ roles }) => roles.map((role) => text(`role.${role}`)).join(', '),
    },
    {
      key: 'services',
      head: text('tokens.services'),
      wide: true,
      cell: ({ serviceIds }) => (serviceIds.includes('*') ? text('account.all') : serviceIds.join(', ')),
    },
    {
      key: 'expires',
      head: clockHead(text('tokens.expires')),
      cell: ({ expiresAt, revokedAt }) => {
        if (revokedAt !== null) {
          return (
            <span className={styles.quiet}>
              {text('tokens.revoked')} <Time at={revokedAt} column />
            </span>
          );
        }
        const isSoon = Date.parse(expiresAt) - now() < SOON_MS;
        return (
          <span className={isSoon ? styles.soon : undefined}>
            {isSoon && '⚠ '}
            <Time at={expiresAt} column />
          </span>
        );
      },
    },
    {
      key: 'used',
      head: clockHead(text('tokens.lastUsed')),
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? text('tokens.never') : <Time at={lastUsedAt} column />,
    },
    {
      key: 'acts',
      head: '',
      cell: (token) =>
        token.revokedAt === null &&
        may('delete /v1/tokens/{id}') && (
          <Button size="xs" onClick={() => revoke(token)}>
            {text('tokens.revoke')}…
          </Button>
        ),
    },
  ];
}
