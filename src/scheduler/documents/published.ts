// The published contracts by file name: a JSON Schema for each event in and out, and the two documents made of all of them. They
// are the same at /schemas/… and in schemas/; a test compares the two. A name has its version: what a reader relies on changes only
// under a new name.
import type { Type } from '@nestjs/common';
import type { z } from 'zod';
import { jsonSchemaOf, type Json } from '../../platform/http/json-schema.js';
import { RejectedEvent } from '../accept/dead-letter.js';
import { CommandOutcome } from '../accept/parked-outcome.js';
import { CanceledEvent, PausedEvent, ResumedEvent, ScheduledEvent } from '../accept/parse/campaign-event.js';
import { RecipientZoneEvent } from '../accept/parse/zone-event.js';
import { CampaignOutcome, OccurrenceOutcome, SendOutcome } from '../outcomes/publish/outcome-event.js';
import { USUAL_TOPICS } from '../scheduler.config.js';
import { asyncApi, type TopicNames } from './asyncapi.js';
import { openApi } from './openapi.js';

/** Events as they are taken, and as they are published. */
const EVENTS: Readonly<Record<string, readonly [schema: z.ZodType, io: 'input' | 'output']>> = {
  'campaign-scheduled.v1.json': [ScheduledEvent, 'input'],
  'campaign-canceled.v1.json': [CanceledEvent, 'input'],
  'campaign-paused.v1.json': [PausedEvent, 'input'],
  'campaign-resumed.v1.json': [ResumedEvent, 'input'],
  'recipient-zone.v1.json': [RecipientZoneEvent, 'input'],
  'outcome-campaign.v1.json': [CampaignOutcome, 'output'],
  'outcome-occurrence.v1.json': [OccurrenceOutcome, 'output'],
  'outcome-send.v1.json': [SendOutcome, 'output'],
  'outcome-command.v1.json': [CommandOutcome, 'output'],
  'event-rejected.v1.json': [RejectedEvent, 'output'],
};

/** Whether we take (input) or publish (output) the event that a file describes; undefined for the documents. */
export const directionOf = (name: string): 'input' | 'output' | undefined => EVENTS[name]?.[1];

function eventSchema(name: string): Json | undefined {
  const event = EVENTS[name];
  if (event === undefined) return undefined;
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:carillon:${name.replace(/\.json$/, '')}`,
    ...jsonSchemaOf(...event),
  };
}

export class PublishedContracts {
  readonly #made = new Map<string, Json>();
  readonly #written = new Map<string, Buffer>();

  /** Each is made when it is first asked for: making all of them would slow down every start. */
  constructor(
    private readonly controllers: () => readonly Type[],
    private readonly topics: Partial<TopicNames> = {},
  ) {}

  readonly names = ['asyncapi.json', 'openapi.json', ...Object.keys(EVENTS)].toSorted();

  /** undefined: no contract has that name. */
  read(name: string): Json | undefined {
    if (!this.names.includes(name)) return undefined;
    const made = this.#made.get(name) ?? this.#make(name);
    if (made !== undefined) this.#made.set(name, made);
    return made;
  }

  /** The same as JSON, made once: the largest has 280 KB, and anybody may ask for it as often as connections allow. */
  bytes(name: string): Buffer | undefined {
    const written = this.#written.get(name);
    if (written !== undefined) return written;
    const made = this.read(name);
    if (made === undefined) return undefined;
    const bytes = Buffer.from(JSON.stringify(made));
    this.#written.set(name, bytes);
    return bytes;
  }

  #make(name: string): Json | undefined {
    if (name === 'openapi.json') return openApi(this.controllers());
    if (name === 'asyncapi.json')
      return asyncApi({ ...USUAL_TOPICS, zones: 'recipient.zones', ...this.topics });
    return eventSchema(name);
  }
}
