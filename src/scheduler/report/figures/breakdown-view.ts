// The view of the devices that breakdowns reported, which the role carillon_report reads beside those of report-views.ts (reports-sql.md,
// "Views, for psql and BI tools"). Only migrations create it: a change here needs a migration that installs it anew.
import { sqlList } from '../../../platform/database/sql-list.js';
import { DEVICE_OUTCOMES } from '../../store/rollup/reported-group.js';
import type { ReportView } from './report-views.js';

export const BREAKDOWN_VIEW: ReportView = {
  comment:
    'A row for each kind of device that breakdowns of the push service reported, some seconds after the result: sums, labelled by where they come from. ' +
    'Devices that are not reported are the difference to devices_target of report_cell. Cheap filters: campaign; due_minute, with service_id.',
  columns: {
    campaign: ['b.campaign', 'Our id of the campaign (UUIDv7)'],
    service_id: ['b.service_id', 'The project that publishes it'],
    campaign_id: ['c.campaign_id', "The publisher's id of the campaign"],
    name: ['c.name', "The publisher's name of the campaign"],
    due_minute: [
      'b.minute',
      'When they were due (a retry: the first due of its chunk), the minute; of 90 days ago its hour, of a year ago its day; null: a standing message',
    ],
    local_hour: ['b.local_hour', 'The hour of it on the clock of the zone'],
    zone: ['b.zone', "The recipients' IANA zone, or a fixed offset"],
    mode: ['b.mode', 'immediate, reserved or scheduled'],
    asked_device_type: ['b.device_type', 'The device type that was asked for; all: not split'],
    asked_country: ['b.country', 'The country that was asked for; all: not split'],
    device_type: ['b.reported_device_type', 'The device type, as the breakdown says; all: not reported'],
    country: ['b.reported_country', 'The country, as the breakdown says; all: not reported'],
    language: ['b.language', 'The language, as the breakdown says; all: not reported'],
    outcome: [
      'b.outcome',
      'sent: a provider took it. failed. unknown: a provider may have taken it; it is among devices_failed of report_cell. suppressed: left out for its consent or the night, no target. not-reported: there is no breakdown',
    ],
    reason: ['b.reason', "The push service's reason; of not-reported the scheduler's"],
    devices: ['b.devices', 'How many devices; the targets are those sent, failed, unknown and not-reported'],
  },
  from: `
  from breakdown_rollup b left join campaign c on c.id = b.campaign
 where b.devices <> 0 and b.outcome in ${sqlList(DEVICE_OUTCOMES)}`,
};
