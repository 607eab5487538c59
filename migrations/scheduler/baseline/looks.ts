/** What following writes beside the sends: who looks at one now, and the counts of standing messages, day by day. */
export const LOOKS = `
-- Who asks about a send at this moment, so that replicas pass each other's looks. Unlogged, and not on the send's row:
-- a claim that a crash loses costs one GET, while moving the row costs its indexes and triggers twice for every look.
create unlogged table look_claim (
  send         uuid not null constraint look_claim_pkey primary key,
  -- By the database's clock, as every lease.
  lease_until  timestamptz not null
);

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
