/** Plans that were previewed, kept 24 h under their hash (planning.md §9): what is scheduled by it is compared with it. */
export const PLAN_PREVIEWS = `
create table plan_preview (
  service_id  text not null references project,
  hash        text not null,
  -- All of the plan but its cells: warnings, totals, load, a refusal.
  plan        jsonb not null,
  made_at     timestamptz not null,
  expires_at  timestamptz not null,
  constraint plan_preview_pkey primary key (service_id, hash)
);
create index plan_preview_hash on plan_preview (hash);
create index plan_preview_expires_at on plan_preview (expires_at);

create table plan_preview_cell (
  service_id  text not null,
  hash        text not null,
  position    integer not null,
  cell        jsonb not null,
  constraint plan_preview_cell_pkey primary key (service_id, hash, position),
  constraint plan_preview_cell_preview foreign key (service_id, hash) references plan_preview on delete cascade
);
`;
