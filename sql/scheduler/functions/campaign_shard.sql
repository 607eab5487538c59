-- The shard of a campaign and of everything that belongs to it. It comes from the random end of the id, so no row is read.
create or replace function campaign_shard(campaign uuid) returns smallint language sql immutable as $$
  select (get_byte(uuid_send(campaign), 15) & 15)::smallint
$$;
