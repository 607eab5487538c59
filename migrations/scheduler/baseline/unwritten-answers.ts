/**
 * What a call came to where the database would not have it written down: kept apart from every rule that may have refused
 * it, so without a foreign key, a check or a trigger.
 */
export const UNWRITTEN_ANSWERS = `
-- Written by store/send/unwritten-answer.store.ts. facts: the row that was to be written, its texts cut short. code: why the
-- database refused it (SQLSTATE); null where the client could not even ask.
create table unwritten_answer (
  send     uuid not null,
  attempt  integer not null,
  code     text,
  error    text not null,
  facts    jsonb not null,
  at       timestamptz not null,
  by       text not null,
  constraint unwritten_answer_pkey primary key (send, attempt)
);
`;
