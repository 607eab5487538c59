// Makes whole events of what a publisher means to say: the envelope with its id and time, and data of the contract's type.
import { randomUUID } from 'node:crypto';
import type { CanceledEvent, CommandData, ScheduledData, ScheduledEvent } from './contract.js';

export type CampaignEvent = ScheduledEvent | CanceledEvent;

export interface EnvelopeOptions {
  /**
   * With the source the event's key for 30 days: the same again changes nothing, so an id made of your own (an order's, a
   * job's) makes a repeat harmless even where your process forgot that it had published. A random UUID by default.
   */
  readonly id?: string;
  /** When it was made; now by default. An event older than the newest one taken for its campaign is refused. */
  readonly time?: Date;
}

export interface CampaignEventsOptions {
  /** Who publishes, a URI reference such as `/shop/promotions`; the project names those that it takes from Kafka. */
  readonly source: string;
  /** The push project. */
  readonly serviceId: string;
}

/** Events of one source for one push project. */
export class CampaignEvents {
  constructor(private readonly options: CampaignEventsOptions) {}

  /** `campaignId`: 1 to 128 of A–Z a–z 0–9 . _ : -, unique within the serviceId. */
  scheduled(
    campaignId: string,
    campaign: Omit<ScheduledData, 'serviceId'>,
    envelope: EnvelopeOptions = {},
  ): ScheduledEvent {
    const { serviceId } = this.options;
    return {
      ...this.#envelope(campaignId, envelope),
      type: 'carillon.campaign.scheduled.v1',
      data: { serviceId, ...campaign },
    };
  }

  /** Cancels all of a campaign that has not left, or one occurrence of it. */
  canceled(
    campaignId: string,
    command: Omit<CommandData, 'serviceId'> = {},
    envelope: EnvelopeOptions = {},
  ): CanceledEvent {
    const { serviceId } = this.options;
    return {
      ...this.#envelope(campaignId, envelope),
      type: 'carillon.campaign.canceled.v1',
      data: { serviceId, ...command },
    };
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
