// Sums up all ended sends at once into empty rollups: rolling up ten million events page by page takes longer than the bench itself.
import { sqlList } from '../../src/platform/database/sql-list.js';
import { OPEN_OCCURRENCE } from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import {
  CELL_KEYS,
  counted,
  ENDED,
  LENGTH_ROLLUP,
  lengthsOf,
  SEND_ROLLUP,
} from '../../src/scheduler/store/rollup/counted-sends.js';
import { addTo, addToHours } from '../../src/scheduler/store/rollup/sums.js';
import { measuredSends } from '../../src/scheduler/store/send/measured-send.js';

const ALL_ENDED = `select * from (${measuredSends('send')}) l where l.state in ${ENDED}`;

/** One statement, so one moment. The rollups are empty, and nothing else writes. */
export const COUNT_ALL = `
with cursors as (
  update outcome_cursor own set done = r.done
    from (select c.shard, c.done + coalesce((select range_agg(int8range(e.position, e.position, '[]')) from send_event e
                                              where e.shard = c.shard and not e.position <@ c.done), '{}') as done
            from outcome_cursor c where c.consumer = 'rollup') r
   where own.consumer = 'rollup' and own.shard = r.shard),
counted as materialized (${counted(ALL_ENDED, 'm.due')}),
measured as materialized (${lengthsOf('counted', CELL_KEYS)}),
sends as (${addTo(SEND_ROLLUP, 'counted')}),
lengths as (${addTo(LENGTH_ROLLUP, 'measured')}),
send_hours as (${addToHours(SEND_ROLLUP, 'counted')}),
length_hours as (${addToHours(LENGTH_ROLLUP, 'measured')})
insert into rollup_open (send)
select s.id from send s left join occurrence o on o.campaign = s.campaign and o.occurrence = s.occurrence
 where s.state not in ${ENDED}
   and (s.state = 'uncertain' or s.retry_of is not null or o.state is null or o.state not in ${sqlList(OPEN_OCCURRENCE)})`;
