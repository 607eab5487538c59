-- Everything of a campaign in one shard, known without its row: by the random end of its id.
create or replace function campaign_shard(campaign uuid) returns smallint language sql immutable as $$
  select (get_byte(uuid_send(campaign), 15) & 15)::smallint
$$;
