// What became of published events. A refused event is an error, so that nobody can overlook it.
import type { CampaignEvent } from './campaign-events.js';
import type { EventVerdict, Reason } from './contract.js';

/** What became of one event. `refusedBy`: this package's check, and then it was not sent, or the scheduler's intake. */
export type Published = { readonly event: CampaignEvent } & (
  | Pick<Extract<EventVerdict, { verdict: 'accepted' }>, 'verdict' | 'eventId' | 'campaignId'>
  | Pick<
      Extract<EventVerdict, { verdict: 'duplicate' }>,
      'verdict' | 'eventId' | 'campaignId' | 'duplicateOf'
    >
  /** A cancel whose campaign has not come yet: it waits for it until `until`. */
  | Pick<Extract<EventVerdict, { verdict: 'parked' }>, 'verdict' | 'eventId' | 'campaignId' | 'until'>
  | {
      readonly verdict: 'rejected';
      readonly refusedBy: 'check' | 'intake';
      /** The rejection that the scheduler keeps (`GET /v1/rejections/{id}`); null where it never got the event. */
      readonly rejectionId: string | null;
      readonly problems: readonly Reason[];
    }
);
export type Taken = Exclude<Published, { verdict: 'rejected' }>;
export type Refused = Extract<Published, { verdict: 'rejected' }>;

/** Some events were refused; all others were taken. */
export class EventsRefused extends Error {
  readonly code = 'EVENTS_REFUSED';

  /**
   * `published`: the events whose fate is known, in the order in which they were given: over HTTP all of them, over Kafka
   * those that were refused. `given`: how many there were.
   */
  constructor(
    readonly published: readonly Published[],
    given = published.length,
  ) {
    const refused = published.filter((one) => one.verdict === 'rejected');
    super([`${refused.length} of ${given} events were refused`, ...refused.flatMap(linesOf)].join('\n'));
    this.name = 'EventsRefused';
  }

  /** The refused events, with every reason. */
  get refused(): readonly Refused[] {
    return this.published.filter((one) => one.verdict === 'rejected');
  }
}

/**
 * The scheduler gave no verdict: it cannot be reached, does not accept the token, or refused the request as a whole. Nobody
 * knows whether the events without a verdict were taken; the same events, with the same ids, may be published again.
 */
export class PublishError extends Error {
  constructor(
    message: string,
    /** `UNREACHABLE`, or the code of the scheduler's answer, such as `UNAUTHENTICATED` or `PLAN_CHANGED`. */
    readonly code: string,
    readonly details: {
      /** HTTP status of the last answer; undefined where there was none. */
      readonly status?: number | undefined;
      /** The answer's whole body, as far as it was JSON. */
      readonly answer?: unknown;
      readonly cause?: unknown;
      /** The events that had a verdict before. */
      readonly published?: readonly Published[];
    } = {},
  ) {
    super(message, { cause: details.cause });
    this.name = 'PublishError';
  }
}

function linesOf({ event, problems }: Refused): string[] {
  const named = `${event.subject} (${event.id})`;
  return problems.map(({ pointer, code, text }) => `  ${named}: ${pointer} ${text} (${code})`);
}
