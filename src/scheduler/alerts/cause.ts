// The causes for which a person is called: what each means, what to do, from when on it counts, and how it ends. Alerts, status,
// webhooks, the runbook, the rules for Prometheus and its boards all go by this list. Pure.

/** `note`: worth knowing, nobody has to act. `warning`: somebody should act today. `critical`: messages do not leave, or are lost. */
export const SEVERITIES = ['note', 'warning', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

export interface Cause {
  readonly severity: Severity;
  /** What it means, in a sentence. */
  readonly text: string;
  /** What somebody should do first. */
  readonly nextStep: string;
  /** The unit of its figure. */
  readonly unit: string;
  /** The setting of the figure from which on it counts. null: it counts as soon as it is there. */
  readonly setting: string | null;
  /** What has to be for it to end. */
  readonly ends: string;
  /** Which figure is the worst one [the greatest]. */
  readonly worst?: 'least';
}

export const CAUSES = {
  FAILURES: {
    severity: 'warning',
    text: 'Sends failed lately, and nobody got them.',
    nextStep: 'Group the failures by code and zone, mend the reason, then preview a retry.',
    unit: 'sends that failed in the last 15 minutes',
    setting: 'ALERT_FAILURES',
    ends: 'fewer sends failed in the last 15 minutes',
  },
  UNCERTAIN: {
    severity: 'warning',
    text: 'Nobody knows what became of some sends: their answers were lost.',
    nextStep: 'Compare them with what the push service took, then resolve them.',
    unit: 'seconds since the oldest became uncertain',
    setting: 'ALERT_UNCERTAIN_SECONDS',
    ends: 'every send that waited as long is settled',
  },
  LATE: {
    severity: 'critical',
    text: 'Sends leave later than they should, though nothing holds their project back.',
    nextStep: 'See whether the rate of the project, the database or the number of processes is the limit.',
    unit: 'seconds: the oldest send that should have left, or the 99th percentile of the last 15 minutes',
    setting: 'ALERT_LATE_SECONDS',
    ends: 'both are below the setting',
  },
  QUOTA: {
    severity: 'critical',
    text: 'The push service says that the quota of the project is spent: nothing of it leaves.',
    nextStep: 'Raise the quota at the push service, then start the project.',
    unit: 'sends that should have left',
    setting: null,
    ends: 'the push service takes sends again, or somebody starts the project',
  },
  BLOCKED: {
    severity: 'critical',
    text: 'A project is blocked: nothing of it leaves.',
    nextStep: 'Read the reason, mend it, then check and start the project.',
    unit: 'sends that should have left',
    setting: 'ALERT_BLOCKED_SECONDS',
    ends: 'the block is over',
  },
  KEY_REFUSED: {
    severity: 'critical',
    text: 'The project has no key that its push service takes: nothing of it leaves.',
    nextStep: 'Give the project a key that the push service takes, then check it.',
    unit: 'sends that should have left',
    setting: null,
    ends: 'the project has another key, or somebody starts it',
  },
  CIRCUIT: {
    severity: 'critical',
    text: 'The push service answers with errors; it is asked rarely until it works again.',
    nextStep: 'Look at the push service; sends wait, and leave by themselves afterwards.',
    unit: 'processes that find it so',
    setting: null,
    ends: 'a send is answered well',
  },
  GATEWAY_UNREACHABLE: {
    severity: 'critical',
    text: 'The push service does not answer.',
    nextStep:
      'Check address, network and the push service itself; sends wait, and leave by themselves afterwards.',
    unit: 'processes that find it so',
    setting: null,
    ends: 'the push service answers',
  },
  STOPPED: {
    severity: 'note',
    text: 'Somebody stopped the project: nothing of it leaves.',
    nextStep: 'Start it when the reason is gone.',
    unit: 'sends that should have left',
    setting: null,
    ends: 'somebody starts the project',
  },
  REJECTIONS: {
    severity: 'warning',
    text: 'Events were refused lately; their campaigns do not exist.',
    nextStep: 'Read the reasons, have the publisher mend them, then replay or discard.',
    unit: 'open rejections of the last 15 minutes',
    setting: 'ALERT_REJECTIONS',
    ends: 'they are replayed or discarded, or fewer came in the last 15 minutes',
  },
  DAYS_AHEAD: {
    severity: 'critical',
    text: 'Tables lack partitions for the next days; without one for today nothing can be stored.',
    nextStep: 'Run `carillon migrate`, then see in the log why housekeeping did not make them.',
    unit: 'days ahead that have partitions',
    setting: 'ALERT_DAYS_AHEAD',
    ends: 'enough days have partitions',
    worst: 'least',
  },
  DISK: {
    severity: 'warning',
    text: 'The disk of the database will be full soon.',
    nextStep: 'Give it more space, or keep sends for fewer days.',
    unit: 'days until it is full at this rate',
    setting: 'ALERT_DISK_DAYS',
    ends: 'the space lasts for more days',
    worst: 'least',
  },
  CLOCK: {
    severity: 'critical',
    text: 'Clocks differ: a process whose clock is wrong sends nothing, and a gateway may refuse signatures.',
    nextStep: 'Set the clock that is wrong by NTP.',
    unit: 'milliseconds apart',
    setting: 'ALERT_CLOCK_MS',
    ends: 'the clocks agree again',
  },
  REPLICA_UNHEARD: {
    severity: 'warning',
    text: 'A process that dispatches fell silent without taking its leave.',
    nextStep: 'See whether it crashed or lost the database; its sends in flight become uncertain.',
    unit: 'processes',
    setting: null,
    ends: 'it writes its heartbeat again, or the others have taken over what it left',
  },
  BACKLOG: {
    severity: 'warning',
    text: 'Work waits that should have been done: events, dead letters, outcomes or sums of reports.',
    nextStep: 'See which of them waits, then look at its loop in health and at Kafka.',
    unit: 'seconds that the oldest has waited',
    setting: 'ALERT_BACKLOG_SECONDS',
    ends: 'nothing waits for as long',
  },
  CREDENTIAL_MISSING: {
    severity: 'critical',
    text: 'The push service has no provider key for some devices: they get nothing.',
    nextStep: 'Give the push service the key of the provider, then preview a retry.',
    unit: 'devices that were due in the last 15 minutes',
    setting: 'ALERT_CREDENTIAL_DEVICES',
    ends: 'no breakdown of the last 15 minutes says so',
  },
  DEADLINE_AHEAD: {
    severity: 'warning',
    text: 'Sends that are planned will leave too late for their campaign, at the rate of their project.',
    nextStep: 'Ask the forecast what would help: a higher rate, a longer pace, or an earlier hour.',
    unit: 'requests that will miss a bound within ALERT_DEADLINE_HOURS',
    setting: 'ALERT_DEADLINE_REQUESTS',
    ends: 'the forecast, made every minute, has fewer of them',
  },
  LEDGER_OUT_OF_BALANCE: {
    severity: 'critical',
    text: 'The ledger does not balance: an event or a send is not accounted for.',
    nextStep: 'Ask the ledger which rows it misses, and find out who wrote or deleted them.',
    unit: 'rows that the ledger misses, and lines that do not balance, of the last ALERT_LEDGER_HOURS',
    setting: 'ALERT_LEDGER_ROWS',
    ends: 'the ledger, read every ten minutes, balances',
  },
  ZONE_RULES_OLD: {
    severity: 'warning',
    text: 'The zone rules are old: campaigns may be planned by offsets that have changed.',
    nextStep: 'Update tzdata on the machine, or Node.js, and restart.',
    unit: 'years behind',
    setting: 'ALERT_ZONE_RULES_YEARS',
    ends: 'a process plans by newer rules',
  },
} as const satisfies Readonly<Record<string, Cause>>;

export type CauseCode = keyof typeof CAUSES;
export const CAUSE_CODES = Object.keys(CAUSES) as [CauseCode, ...CauseCode[]];

export const causeOf = (code: CauseCode): Cause => CAUSES[code];

/** Whether somebody has to act. */
export const needsPerson = (code: CauseCode): boolean => CAUSES[code].severity !== 'note';

/** Where the runbook has it: its page and heading. */
export const runbookOf = (code: CauseCode): string => `docs/operate/runbook.md#${code.toLowerCase()}`;
