// Written by `npm run schemas` from the schemas that check events and describe answers; a test compares.

export type CampaignState =
  | 'accepted'
  | 'planning'
  | 'awaiting-approval'
  | 'planned'
  | 'running'
  | 'canceling'
  | 'completed'
  | 'expired'
  | 'canceled'
  | 'rejected';
export type EventVerdict =
  | {
      /**
       * The place of the event in the batch, from 0
       */
      index: number;
      source: string | null;
      id: string | null;
      /**
       * Our id of the event
       */
      eventId: string;
      verdict: 'accepted';
      /**
       * Our id of the campaign
       */
      campaignId: string;
      /**
       * Those of a dry run that looked nothing up; null: no dry run was made, but the plan will have its warnings
       */
      warnings: PlanProblem[] | null;
    }
  | {
      /**
       * The place of the event in the batch, from 0
       */
      index: number;
      source: string | null;
      id: string | null;
      /**
       * Our id of the event
       */
      eventId: string;
      verdict: 'duplicate';
      campaignId: string | null;
      /**
       * The eventId of the first arrival
       */
      duplicateOf: string;
    }
  | {
      /**
       * The place of the event in the batch, from 0
       */
      index: number;
      source: string | null;
      id: string | null;
      /**
       * Our id of the event
       */
      eventId: string;
      verdict: 'rejected';
      rejectionId: string;
      problems: Reason[];
    }
  | {
      /**
       * The place of the event in the batch, from 0
       */
      index: number;
      source: string | null;
      id: string | null;
      /**
       * Our id of the event
       */
      eventId: string;
      /**
       * A command that waits for its campaign, which has not come yet
       */
      verdict: 'parked';
      campaignId: null;
      /**
       * When it becomes a rejection, unless its campaign has come
       */
      until: string;
    };

export interface CampaignWithRevisions {
  /**
   * Ours
   */
  id: string;
  serviceId: string;
  /**
   * The publisher's, unique within the serviceId
   */
  campaignId: string;
  name: string | null;
  state: CampaignState;
  paused: boolean;
  revision: number;
  /**
   * Why it is in this state, if there is a reason to give
   */
  code: string | null;
  detail: string | null;
  stateAt: string;
  /**
   * Who or what brought it there
   */
  stateBy: string;
  createdAt: string;
  /**
   * The newest send of every chunk, counted by state
   */
  sends: {
    [k: string]: number;
  };
  /**
   * In a list: the campaign has more sends than are counted for it, so there may be more of each state
   */
  sendsAtLeast: boolean;
  /**
   * When the next of its cells is due; null: nothing is planned for later
   */
  nextDueAt: string | null;
  /**
   * Why somebody should look at the campaign: it was rejected, nobody got it, or sends did not go out; null: nobody has to
   */
  attention: Attention | null;
  waitingFor: {
    /**
     * USER_OFFSETS: the registered offset of each userId without a zone; OFFSET_COUNTS: how many users each offset has; NAMES: whether the push service knows the channels and the schedule that the campaign names
     */
    what: 'USER_OFFSETS' | 'OFFSET_COUNTS' | 'NAMES';
    /**
     * userIds whose zone nobody gave, of a list those without a zone in it; null for OFFSET_COUNTS and NAMES
     */
    ids: number | null;
    /**
     * How many of them have an answer of the push service, a new one or one that still counts
     */
    lookedUp: number | null;
    /**
     * How many of them it will still be asked about
     */
    toLookUp: number | null;
    /**
     * How many of them go by the fallback: beyond lookupMax, or given up; null for a list, whose ids are not counted so
     */
    byFallback: number | null;
    /**
     * Rounds in a row without a complete answer; it is tried again until `until`
     */
    failedRounds: number;
    /**
     * Since when it waits
     */
    since: string;
    /**
     * When it is planned at the latest, with whatever is known by then
     */
    until: string;
  } | null;
  /**
   * The cancels and pauses in force, and what is under way, of the campaign first and then of its occurrences; at most 100
   */
  acts: ActOnCampaign[];
  revisions: Revision[];
  /**
   * The latest 100; the plan pages through all
   */
  occurrences: Occurrence[];
}
export interface Attention {
  code: string;
  text: string;
}
export interface ActOnCampaign {
  act: 'cancel' | 'pause' | 'resume' | 'approve' | 'revise' | 'recall' | 'start';
  /**
   * null: all of the campaign
   */
  occurrence: string | null;
  by: string;
  at: string;
  reason: string | null;
  /**
   * All of its sends were looked at; a resume, an approval or a revision that is done is not listed
   */
  isDone: boolean;
  /**
   * Sends moved so far, or on their way to it
   */
  moved: number;
  /**
   * Sends not looked at yet. None of them leaves during a cancel or a pause; of a revision, the requests that it has yet to change
   */
  left: number;
}
export interface Revision {
  revision: number;
  /**
   * The event that made it
   */
  event: string;
  /**
   * Over its message, audience, delivery and policy: whoever approves it says which they saw
   */
  hash: string;
  state: 'planning' | 'awaiting-approval' | 'in-force' | 'rejected' | 'superseded';
  messageType: ('NOTIF' | 'AD') | null;
  takenAt: string;
  /**
   * Over HTTP token:name (id), as in audit rows; over Kafka kafka:source, as long as its event is kept
   */
  publishedBy: string;
  /**
   * Why it is rejected
   */
  reasons: PlanProblem[] | null;
}
export interface PlanProblem {
  code: string;
  text: string;
  /**
   * JSON pointer into data; empty for the whole
   */
  pointer: string;
  /**
   * For PLAN_CHANGED: the differences from the preview
   */
  difference?: {
    [k: string]: unknown;
  };
}
export interface Occurrence {
  /**
   * once, the local date and time of the firing, or test-<revision>
   */
  occurrence: string;
  revision: number;
  state: 'planned' | 'running' | 'completed' | 'expired' | 'canceling' | 'canceled' | 'skipped';
  code: string | null;
  firstDueAt: string | null;
  lastDueAt: string | null;
  stateAt: string;
}
export interface Reason {
  /**
   * JSON pointer into the CloudEvent (/data/delivery/at); empty for the whole
   */
  pointer: string;
  code:
    | 'UNREADABLE'
    | 'TOO_LARGE'
    | 'NOT_UTF8'
    | 'NOT_JSON'
    | 'TOO_DEEP'
    | 'DUPLICATE_MEMBER'
    | 'FORBIDDEN_MEMBER'
    | 'NOT_STORABLE'
    | 'NUMBER_NOT_EXACT'
    | 'UNKNOWN_TYPE'
    | 'TIME_TOO_OLD'
    | 'TIME_AHEAD'
    | 'KEY_MISMATCH'
    | 'REQUIRED'
    | 'WRONG_TYPE'
    | 'WRONG_VALUE'
    | 'WRONG_FORMAT'
    | 'TOO_SHORT'
    | 'TOO_LONG'
    | 'UNKNOWN_MEMBER'
    | 'DELIVERY_UNCLEAR'
    | 'ZONE_MISSING'
    | 'ZONE_UNKNOWN'
    | 'NO_SUCH_TIME'
    | 'TIME_PASSED'
    | 'INVALID_RECURRENCE'
    | 'AUDIENCE_UNCLEAR'
    | 'TOO_MANY_CELLS'
    | 'PLAN_TOO_LARGE'
    | 'SERVICE_NOT_ALLOWED'
    | 'UNKNOWN_SERVICE'
    | 'UNKNOWN_LIST'
    | 'LIST_EXPIRED'
    | 'SOURCE_NOT_ALLOWED'
    | 'POLICY_DEFAULTS_INVALID'
    | 'DUPLICATE_WITH_DIFFERENT_CONTENT'
    | 'UNKNOWN_CAMPAIGN'
    | 'UNKNOWN_OCCURRENCE'
    | 'OCCURRENCE_TOO_FAR'
    | 'OCCURRENCE_CLOSED'
    | 'CAMPAIGN_CLOSED'
    | 'SUPERSEDED'
    | 'COULD_NOT_BE_TAKEN'
    | 'MORE';
  text: string;
}
export interface CommandOutcome {
  specversion: '1.0';
  /**
   * The same however often one is published
   */
  id: string;
  /**
   * /carillon/{serviceId}
   */
  source: string;
  type: 'carillon.outcome.command.parked.v1';
  /**
   * The campaignId
   */
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The trace of the event that it answers (W3C Trace Context); left out where that had none
   */
  traceparent?: string;
  /**
   * What tracing systems keep beside it
   */
  tracestate?: string;
  data: {
    serviceId: string;
    campaignId: string;
    occurrence: string | null;
    command: 'cancel' | 'pause' | 'resume';
    state: 'parked';
    /**
     * The event that waits
     */
    event: {
      /**
       * Ours
       */
      eventId: string;
      source: string;
      id: string;
    };
    at: string;
    /**
     * When it becomes a rejection, unless a scheduled event of the same or an earlier time has come
     */
    until: string;
  };
}
export interface SendOutcome {
  specversion: '1.0';
  /**
   * The same each time the event is published
   */
  id: string;
  /**
   * /carillon/{serviceId}
   */
  source: string;
  type:
    | 'carillon.outcome.send.accepted.v1'
    | 'carillon.outcome.send.reserved.v1'
    | 'carillon.outcome.send.scheduled.v1'
    | 'carillon.outcome.send.uncertain.v1'
    | 'carillon.outcome.send.sent.v1'
    | 'carillon.outcome.send.failed.v1'
    | 'carillon.outcome.send.empty.v1'
    | 'carillon.outcome.send.stale.v1'
    | 'carillon.outcome.send.rejected.v1'
    | 'carillon.outcome.send.canceled.v1'
    | 'carillon.outcome.send.expired.v1'
    | 'carillon.outcome.send.skipped.v1'
    | 'carillon.outcome.send.superseded.v1';
  /**
   * The campaignId
   */
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The send's change number, with gaps, or the number among the outcomes of its campaign
   */
  sequence: string;
  /**
   * The trace of the event that it answers (W3C Trace Context); left out where that had none
   */
  traceparent?: string;
  /**
   * What tracing systems keep beside it
   */
  tracestate?: string;
  data: {
    serviceId: string;
    campaignId: string;
    /**
     * Our id of the campaign
     */
    ourId: string;
    revision: number;
    occurrence: string | null;
    zone: string | null;
    cell: string | null;
    chunk: number | null;
    sendId: string;
    retryOf: string | null;
    from:
      | (
          | 'planned'
          | 'sending'
          | 'accepted'
          | 'reserved'
          | 'scheduled'
          | 'canceling'
          | 'held'
          | 'uncertain'
          | 'sent'
          | 'failed'
          | 'empty'
          | 'stale'
          | 'rejected'
          | 'canceled'
          | 'expired'
          | 'skipped'
          | 'superseded'
        )
      | null;
    state:
      | 'accepted'
      | 'reserved'
      | 'scheduled'
      | 'uncertain'
      | 'sent'
      | 'failed'
      | 'empty'
      | 'stale'
      | 'rejected'
      | 'canceled'
      | 'expired'
      | 'skipped'
      | 'superseded';
    code: string | null;
    detail: string | null;
    at: string;
    dueAt: string | null;
    /**
     * The push service's
     */
    requestId: string | null;
    /**
     * Devices; null where there are no counts
     */
    counts: {
      target: number | null;
      sent: number | null;
    } | null;
  };
}
export interface OccurrenceOutcome {
  specversion: '1.0';
  /**
   * The same each time the event is published
   */
  id: string;
  /**
   * /carillon/{serviceId}
   */
  source: string;
  type: 'carillon.outcome.occurrence.completed.v1' | 'carillon.outcome.occurrence.skipped.v1';
  /**
   * The campaignId
   */
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The send's change number, with gaps, or the number among the outcomes of its campaign
   */
  sequence: string;
  /**
   * The trace of the event that it answers (W3C Trace Context); left out where that had none
   */
  traceparent?: string;
  /**
   * What tracing systems keep beside it
   */
  tracestate?: string;
  data: {
    serviceId: string;
    campaignId: string;
    /**
     * Our id of the campaign
     */
    ourId: string;
    revision: number;
    occurrence: string;
    state: 'planned' | 'running' | 'completed' | 'expired' | 'canceling' | 'canceled' | 'skipped';
    code: string | null;
    detail: string | null;
    /**
     * For a rejected campaign or revision: all of its problems
     */
    problems: PlanProblem[] | null;
    at: string;
    /**
     * Devices; null where there are no counts
     */
    counts: {
      target: number | null;
      sent: number | null;
    } | null;
  };
}
export interface CampaignOutcome {
  specversion: '1.0';
  /**
   * The same each time the event is published
   */
  id: string;
  /**
   * /carillon/{serviceId}
   */
  source: string;
  type:
    | 'carillon.outcome.campaign.accepted.v1'
    | 'carillon.outcome.campaign.planning.v1'
    | 'carillon.outcome.campaign.awaiting-approval.v1'
    | 'carillon.outcome.campaign.planned.v1'
    | 'carillon.outcome.campaign.running.v1'
    | 'carillon.outcome.campaign.canceling.v1'
    | 'carillon.outcome.campaign.completed.v1'
    | 'carillon.outcome.campaign.expired.v1'
    | 'carillon.outcome.campaign.canceled.v1'
    | 'carillon.outcome.campaign.rejected.v1'
    | 'carillon.outcome.campaign.corrected.v1'
    | 'carillon.outcome.campaign.paused.v1'
    | 'carillon.outcome.campaign.resumed.v1'
    | 'carillon.outcome.campaign.replanned.v1'
    | 'carillon.outcome.campaign.revision-rejected.v1'
    | 'carillon.outcome.campaign.revision-awaiting-approval.v1';
  /**
   * The campaignId
   */
  subject: string;
  time: string;
  datacontenttype: 'application/json';
  /**
   * The send's change number, with gaps, or the number among the outcomes of its campaign
   */
  sequence: string;
  /**
   * The trace of the event that it answers (W3C Trace Context); left out where that had none
   */
  traceparent?: string;
  /**
   * What tracing systems keep beside it
   */
  tracestate?: string;
  data: {
    serviceId: string;
    campaignId: string;
    /**
     * Our id of the campaign
     */
    ourId: string;
    revision: number;
    occurrence: null;
    state:
      | 'accepted'
      | 'planning'
      | 'awaiting-approval'
      | 'planned'
      | 'running'
      | 'canceling'
      | 'completed'
      | 'expired'
      | 'canceled'
      | 'rejected';
    code: string | null;
    detail: string | null;
    /**
     * For a rejected campaign or revision: all of its problems
     */
    problems: PlanProblem[] | null;
    /**
     * For campaign.planned and what awaits approval: the warnings of its plan, as in GET /v1/campaigns/{id}/plan
     */
    warnings: PlanProblem[] | null;
    /**
     * For campaign.replanned: how the revision differed from the one before
     */
    changes: {
      cells: {
        same: number;
        changed: number;
        new: number;
        gone: number;
        late: number;
      };
      /**
       * late: their message had gone, or may have, when the revision was planned: they stay as they are
       */
      requests: {
        same: number;
        changed: number;
        new: number;
        gone: number;
        late: number;
      };
      /**
       * Occurrences that began while the revision looked: they keep the revision before
       */
      kept: string[];
      /**
       * Requests that went while the revision took its place, instead of being changed
       */
      tooLate: number;
    } | null;
    /**
     * Why somebody should look: it was rejected, or nobody got it
     */
    attention: Attention | null;
    at: string;
    /**
     * Devices; null where there are no counts
     */
    counts: {
      target: number | null;
      sent: number | null;
    } | null;
  };
}
export interface ResumedEvent {
  specversion: '1.0';
  /**
   * With source and serviceId the idempotency key, for 30 days
   */
  id: string;
  /**
   * A URI reference; the project names the sources that it takes from Kafka
   */
  source: string;
  type: 'carillon.campaign.resumed.v1';
  /**
   * The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
   */
  subject: string;
  /**
   * When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
   */
  time: string;
  /**
   * A JSON media type
   */
  datacontenttype?: string | null;
  /**
   * The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
   */
  traceparent?: string;
  /**
   * What tracing systems add to the trace; 512 characters are kept
   */
  tracestate?: string;
  data: CommandData;
  [k: string]: unknown;
}
export interface CommandData {
  /**
   * The push project
   */
  serviceId: string;
  /**
   * Only this occurrence of a recurrence
   */
  occurrence?: string | null;
  /**
   * Shown to people
   */
  reason?: string | null;
}
export interface PausedEvent {
  specversion: '1.0';
  /**
   * With source and serviceId the idempotency key, for 30 days
   */
  id: string;
  /**
   * A URI reference; the project names the sources that it takes from Kafka
   */
  source: string;
  type: 'carillon.campaign.paused.v1';
  /**
   * The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
   */
  subject: string;
  /**
   * When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
   */
  time: string;
  /**
   * A JSON media type
   */
  datacontenttype?: string | null;
  /**
   * The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
   */
  traceparent?: string;
  /**
   * What tracing systems add to the trace; 512 characters are kept
   */
  tracestate?: string;
  data: CommandData;
  [k: string]: unknown;
}
export interface CanceledEvent {
  specversion: '1.0';
  /**
   * With source and serviceId the idempotency key, for 30 days
   */
  id: string;
  /**
   * A URI reference; the project names the sources that it takes from Kafka
   */
  source: string;
  type: 'carillon.campaign.canceled.v1';
  /**
   * The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
   */
  subject: string;
  /**
   * When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
   */
  time: string;
  /**
   * A JSON media type
   */
  datacontenttype?: string | null;
  /**
   * The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
   */
  traceparent?: string;
  /**
   * What tracing systems add to the trace; 512 characters are kept
   */
  tracestate?: string;
  data: CommandData;
  [k: string]: unknown;
}
export interface ScheduledEvent {
  specversion: '1.0';
  /**
   * With source and serviceId the idempotency key, for 30 days
   */
  id: string;
  /**
   * A URI reference; the project names the sources that it takes from Kafka
   */
  source: string;
  type: 'carillon.campaign.scheduled.v1';
  /**
   * The campaignId, unique within the serviceId: 1 to 128 of A–Z a–z 0–9 . _ : -
   */
  subject: string;
  /**
   * When the event was made, with its offset. Refused if it is more than 30 days ago or five minutes ahead, or not after the newest event taken for the campaign (SUPERSEDED); a stricter act may be up to a minute older. See Order of acts
   */
  time: string;
  /**
   * A JSON media type
   */
  datacontenttype?: string | null;
  /**
   * The trace that the event belongs to, as in W3C Trace Context; an invalid one counts as none, with a warning
   */
  traceparent?: string;
  /**
   * What tracing systems add to the trace; 512 characters are kept
   */
  tracestate?: string;
  data: ScheduledData;
  [k: string]: unknown;
}
export interface ScheduledData {
  /**
   * The push project
   */
  serviceId: string;
  /**
   * Shown to people
   */
  name?: string | null;
  /**
   * Shown to people
   */
  tags?: string[] | null;
  /**
   * Notification or advertising [NOTIF]
   */
  messageType?: ('NOTIF' | 'AD') | null;
  /**
   * Who gets it; required, unless segments say who does
   */
  audience?: Audience | null;
  message: Message;
  delivery: Delivery;
  /**
   * The rules of delivery: see policy
   */
  policy?: Policy | null;
  /**
   * Run exactly the plan that was previewed, or refuse (planning.md §9)
   */
  planHash?: string | null;
}
export interface Audience {
  /**
   * Everybody, the users of channels, or users
   */
  type: 'ALL' | 'CHANNEL' | 'USER';
  /**
   * For CHANNEL the channel names, at most 1000; for USER the user ids, each of at most 128 characters, at most 50000 over the audience and all segments
   */
  to?: string[] | null;
  /**
   * Of USER, in place of to: the name of an uploaded list (lists.md); it is the whole audience, without segments
   */
  list?: string | null;
  /**
   * Only devices registered for these countries: ISO 3166-1 alpha-2
   */
  country?: string[] | null;
  /**
   * Only devices of this type: GCM is Android and the web
   */
  deviceType?: ('GCM' | 'APNS') | null;
}
export interface Message {
  default: Content;
  /**
   * Replaces default for GCM
   */
  gcm?: Content | null;
  /**
   * Replaces default for APNS
   */
  apns?: Content | null;
  /**
   * Texts by language for all device types
   */
  i18n?: {
    [k: string]: {
      content: string;
    };
  } | null;
}
export interface Content {
  /**
   * The text
   */
  content?: string | null;
  /**
   * Handed to the app as it is; any members
   */
  custom?: {
    [k: string]: unknown;
  } | null;
  /**
   * What the push service maps to FCM and APNs; any members
   */
  option?: {
    [k: string]: unknown;
  } | null;
  /**
   * The text by language: default, an ISO 639-1 code, zh-Hans or zh-Hant
   */
  i18n?: {
    [k: string]: {
      content: string;
    };
  } | null;
}
export interface Delivery {
  /**
   * As soon as possible
   */
  now?: true | null;
  /**
   * An instant with its offset or Z, or a wall time with a zone beside it
   */
  at?: string | null;
  /**
   * The clock that a wall time is on: an IANA zone, or recipient
   */
  zone?: string | null;
  /**
   * Attached to a schedule that the push service keeps
   */
  scheduleCode?: string | null;
  /**
   * When a message attached to a schedule ends
   */
  until?: string | null;
  /**
   * An RFC 5545 RRULE, on the wall clock of the zone
   */
  recurrence?: string | null;
  /**
   * With zone recipient: the recipients whose zone the publisher knows
   */
  segments?: Segment[] | null;
}
export interface Segment {
  /**
   * An IANA zone
   */
  zone: string;
  audience: Audience;
}
export interface Policy {
  /**
   * For wall times around a change of the clock
   */
  dst?: {
    /**
     * A wall time that does not exist [forward]
     */
    gap?: ('forward' | 'skip' | 'reject') | null;
    /**
     * One that exists twice [first]
     */
    overlap?: ('first' | 'second' | 'reject') | null;
  } | null;
  /**
   * For AD, from 21:00 to 08:00 on the recipient's clock [consented]: the push service leaves out users without night consent; defer to 08:00; skip
   */
  night?: ('consented' | 'defer' | 'skip') | null;
  /**
   * A daily window on the recipient's clock, for any messageType; none switches a project's default off
   */
  quietHours?:
    | (
        | {
            /**
             * HH:mm
             */
            start: string;
            /**
             * HH:mm
             */
            end: string;
            /**
             * Defer to the end of the window, or skip
             */
            action: 'defer' | 'skip';
          }
        | 'none'
      )
    | null;
  /**
   * For zones where the wall time is already over [skip]: skip, send-now, next-day, reject, or floor:<zone>: the instant of that wall time in the zone
   */
  passedZone?: string | null;
  /**
   * ISO 8601 duration after the intended instant, at most a year [P1D]: nothing leaves later than that
   */
  deadline?: string | null;
  /**
   * For sends that the scheduler could not hand off at their due: it was down, throttled or blocked
   */
  lateness?: {
    /**
     * ISO 8601 duration without months or years [PT30M]
     */
    max?: string | null;
    /**
     * What happens to a send that is later than max [expire]
     */
    then?: ('expire' | 'send') | null;
  } | null;
  /**
   * reserve: hand off as soon as the push service takes a reservation; hold: hand off when it is due [reserve]
   */
  handoff?: ('reserve' | 'hold') | null;
  /**
   * Requests of this campaign a minute, spread evenly; none switches a project's default off
   */
  pace?:
    | (
        | {
            /**
             * Requests
             */
            perMinute: number;
          }
        | 'none'
      )
    | null;
  /**
   * ISO 8601 duration without months or years [PT0S]: spreads zones that fall on the same instant
   */
  jitter?: string | null;
  /**
   * A send for each value, so that reports show them separately; country needs audience.country
   */
  split?: ('deviceType' | 'country')[] | null;
  /**
   * required: it is planned and shown, and nothing leaves before somebody approves it [none]
   */
  approval?: ('none' | 'required') | null;
  /**
   * User ids that get it at once, as a test, before it is approved and outside its reports; the push service still leaves out who did not consent
   */
  testTo?: string[] | null;
}
