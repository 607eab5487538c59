-- The shard of a campaign and of everything that belongs to it: taken from the random end of its id, so its row is not needed.
create or replace function campaign_shard(campaign uuid) returns smallint language sql immutable as $$
  select (get_byte(uuid_send(campaign), 15) & 15)::smallint
$$;
