/** Cancels of campaigns and occurrences, whose sends follow in pages: no statement is as long as a campaign is large. */
export const CAMPAIGN_CANCELS = `
-- The mark of a cancel: from its commit on nothing of the campaign, or of this occurrence of it, is fired. Its sends are
-- moved page by page in order of the index send_cell; the row says how far that has come.
create table campaign_cancel (
  campaign          uuid not null references campaign,
  -- null: all of them.
  occurrence        text,
  code              text not null,
  detail            text,
  asked_at          timestamptz not null,
  asked_by          text not null,
  -- Where the last page ended; null before a pass's first.
  after_occurrence  text,
  after_cell        text,
  after_chunk       integer,
  -- The pass it is in: the one that finds nothing to move is the last.
  pass              integer not null default 1,
  pass_moved        integer not null default 0,
  -- Sends of the first pass looked at so far, and all that were moved.
  looked            integer not null default 0,
  moved             integer not null default 0,
  -- By the database's clock: the cancels take their pages in turn.
  paged_at          timestamptz not null default clock_timestamp(),
  done_at           timestamptz,
  constraint campaign_cancel_key unique nulls not distinct (campaign, occurrence)
);
create index campaign_cancel_open on campaign_cancel (paged_at) where done_at is null;
`;
