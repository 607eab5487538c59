// Makes whole events from a publisher's data: the envelope with its id and time, and data of the contract's type.
import { randomUUID } from 'node:crypto';
import type {
  CanceledEvent,
  CommandData,
  PausedEvent,
  ResumedEvent,
  ScheduledData,
  ScheduledEvent,
} from './contract.js';

export type CampaignEvent = ScheduledEvent | CanceledEvent | PausedEvent | ResumedEvent;

export interface EnvelopeOptions {
  /**
   * Together with source and serviceId it is the event's key for 30 days: the same event again changes nothing. If you derive it from
   * an id of your own (an order, a job), a repeat is harmless even if your process forgot that it had published. [a random UUID]
   */
  readonly id?: string;
  /** When it was made [now]. An event older than the newest one taken for its campaign is refused. */
  readonly time?: Date;
}

/** Events of one source for one push project. */
export class CampaignEvents {
  constructor(
    private readonly options: {
      /** Who publishes: a URI reference such as `/shop/promotions`. The project names the sources that it takes from Kafka. */
      readonly source: string;
      /** The push project. */
      readonly serviceId: string;
    },
  ) {}

  /** `campaignId`: 1 to 128 of A–Z a–z 0–9 . _ : -, unique within the serviceId. */
  scheduled(
    campaignId: string,
    campaign: Omit<ScheduledData, 'serviceId'>,
    envelope: EnvelopeOptions = {},
  ): ScheduledEvent {
    const data = { serviceId: this.options.serviceId, ...campaign };
    return { ...this.#envelope(campaignId, envelope), type: 'carillon.campaign.scheduled.v1', data };
  }

  /** Cancels all of a campaign that has not left, or one occurrence of it. */
  canceled(
    campaignId: string,
    command: Omit<CommandData, 'serviceId'> = {},
    envelope: EnvelopeOptions = {},
  ): CanceledEvent {
    const data = { serviceId: this.options.serviceId, ...command };
    return { ...this.#envelope(campaignId, envelope), type: 'carillon.campaign.canceled.v1', data };
  }

  /** Holds all of a campaign that has not left, or one occurrence of it, until it is resumed or cancelled. */
  paused(
    campaignId: string,
    command: Omit<CommandData, 'serviceId'> = {},
    envelope: EnvelopeOptions = {},
  ): PausedEvent {
    const data = { serviceId: this.options.serviceId, ...command };
    return { ...this.#envelope(campaignId, envelope), type: 'carillon.campaign.paused.v1', data };
  }

  /** Plans again what a pause holds; late sends follow the campaign's lateness. */
  resumed(
    campaignId: string,
    command: Omit<CommandData, 'serviceId'> = {},
    envelope: EnvelopeOptions = {},
  ): ResumedEvent {
    const data = { serviceId: this.options.serviceId, ...command };
    return { ...this.#envelope(campaignId, envelope), type: 'carillon.campaign.resumed.v1', data };
  }

  #envelope(campaignId: string, { id = randomUUID(), time = new Date() }: EnvelopeOptions) {
    return {
      specversion: '1.0' as const,
      id,
      source: this.options.source,
      subject: campaignId,
      time: time.toISOString(),
      datacontenttype: 'application/json',
    };
  }
}
