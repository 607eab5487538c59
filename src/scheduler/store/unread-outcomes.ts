// What a consumer of the log of outcomes has not read, as SQL (docs/decisions/0030).

interface Unread {
  /** [none] */
  readonly columns?: string;
  /** A day of the log, or all of it [send_event]. */
  readonly table?: string;
  /** A further condition on an outcome `e` [none]. */
  readonly which?: string;
  /** Rows of a gap [1: whether there is any]. */
  readonly most?: number;
}

/** A relation `e` of outcomes behind the row `c` of outcome_cursor. Index send_event_position, one probe for each gap. */
export const unreadBehind = ({
  columns = '',
  table = 'send_event',
  which = 'true',
  most = 1,
}: Unread): string =>
  `cursor_gaps(c.done) as gap cross join lateral (
     select ${columns} from ${table} e
      where ${which} and e.shard = c.shard and e.position >= gap.low and e.position < gap.high
      order by e.position limit ${most}) e`;
