// What ends the rows of each table of the scheduler, or bounds them: docs/operate/retention.md, "What is kept".
import type { KeptTables } from '../../platform/kept.js';

export const KEPT: KeptTables = {
  'send send_recipients send_note attempt':
    '`SEND_RETENTION_DAYS` after the send ended; an uncertain one until somebody resolves it',
  event: '`SEND_RETENTION_DAYS` after its receipt',
  'rejection duplicate': 'as their event',
  revision: '`SEND_RETENTION_DAYS` after its campaign ended, and at least as long as its last kept send',
  'campaign campaign_history campaign_act command occurrence cell send_rollup length_rollup':
    '`REPORT_RETENTION_DAYS` after the campaign ended, and at least as long as its last kept send',
  'breakdown_rollup send_rollup_hour length_rollup_hour': 'as the other sums of reports',
  event_sum: '`REPORT_RETENTION_DAYS`',
  day_drop: 'until the next day is removed; one row at a time',
  send_event: { length: 7, also: ', and until all of its day is published and rolled up' },
  inbox_key: { length: 30, by: 'taken_at' },
  idempotent_answer: { length: 30, by: 'created_at' },
  'send_set send_set_item': { length: 30 },
  unwritten_answer: { length: 30, also: ', and until its send is no longer uncertain' },
  standing_count: {
    // More than the newest 366 days that are shown.
    length: 400,
    also: '; the newest of each send stays as long as its campaign',
  },
  'audience_list audience_version audience_part':
    'until the list expires or another version replaces it, and 7 days after the last campaign that goes to the version',
  audience_use: 'as the version',
  audience_page: 'until its upload ends, or 90 seconds after it fell silent',
  audience_known: 'until its campaign is planned, a day at most',
  recipient_zone: { length: 30, also: ' after a publisher took the zone away; until then for ever' },
  'registered_offset offset_census gateway_name': { length: 'OFFSET_CACHE_HOURS', by: 'looked_up_at' },
  outbox: '`OUTBOX_KEPT_HOURS` after it was published or put aside',
  parked_command: 'until its campaign comes, an hour at most',
  'plan_preview plan_preview_cell': '24 hours',
  audience_lookup: 'until its campaign is planned',
  'occurrence_next cell_next send_next':
    'until the revision that they plan is in force, rejected or awaits approval',
  send_breakdown: '7 days after its send ended, or until it is reported; after a failure as long as its send',
  rollup_retry: 'until the roller has seen it, seconds',
  rollup_open: 'until the send ends',
  campaign_touched: 'until the closer has seen it, seconds',
  partition_place: 'as many as the topic has partitions',
  'replica project_trouble': 'while its process lives, and until what it left is recovered',
  'project project_key project_pace': 'as many as are made by hand, two keys each',
  'api_token audit erasure': 'as many as are made by hand; never deleted, because they say who did what',
  webhook: 'as many as are made by hand',
  webhook_change: 'until its message is made, ten seconds',
  webhook_message: { length: 30, by: 'made_at' },
  alert: { length: 90, by: 'ended_at', also: ' after it ended' },
  'campaign_transition send_transition outcome_cursor_turn zone_rules_in_force alert_round':
    'a fixed number of rows',
};
