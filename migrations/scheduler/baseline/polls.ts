/** What following writes beside the sends: the counts of standing messages, day by day. */
export const POLLS = `
-- What a standing message had come to at its last look of each UTC day; counts are of its whole life, as the push
-- service tells them.
create table standing_count (
  send          uuid not null,
  day           date not null,
  target_count  integer,
  sent_count    integer,
  at            timestamptz not null,
  constraint standing_count_pkey primary key (send, day)
);
`;
