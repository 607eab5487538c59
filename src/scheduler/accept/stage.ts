// The intake: in every process what takes events from HTTP, and the Kafka consumer where this process has the role `accept`
// and brokers are configured.
import type { Type } from '@nestjs/common';
import type { Sql } from '../../platform/database/database.js';
import { JoinedDatabase } from '../../platform/database/request-transaction.js';
import type { Stage } from '../../platform/stage.js';
import type { Core } from '../core.js';
import type { PlanChecker } from '../decide/plan/plan-ports.js';
import type { RevisionPreviewer } from '../store/send/revision-preview.store.js';
import { AcceptEvents } from './accept-events.js';
import { AcceptedDrafts } from './draft-reader.js';
import { EndParked } from './end-parked.js';
import { EventLookUpController } from './event-look-up.controller.js';
import { EventParser } from './event-parser.js';
import { EventsConsumer } from './events.consumer.js';
import { EventsController } from './events.controller.js';
import { acceptMetrics, eventMetrics } from './metrics.js';
import { PatchCampaign } from './patch/patch-campaign.js';
import { PatchController } from './patch/patch.controller.js';
import { RefuseChangedPlan } from './refuse-changed-plan.js';
import { RejectionsController } from './rejections/rejections.controller.js';
import { SettleRejection } from './rejections/settle-rejection.js';
import { WarnOfTaken } from './warn-of-taken.js';
import { TakeZones } from './zones/take-zones.js';

export const ACCEPT_CONTROLLERS: readonly Type[] = [
  EventsController,
  EventLookUpController,
  PatchController,
  RejectionsController,
];

type Inside = <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;

/** What reads an event; planning reads drafts by it. */
export function eventReaders({ config, rules, workers: pool, projects, planning, clock }: Core) {
  const { tzdataDir: tzdata, mostCells } = config;
  const parser = new EventParser({ rules, tzdata, mostCells, pool });
  return { parser, drafts: new AcceptedDrafts(parser, projects, planning, clock) };
}

export function acceptStage(
  core: Core,
  { parser, drafts }: ReturnType<typeof eventReaders>,
  { plans, revisions: previews }: { readonly plans: PlanChecker; readonly revisions: RevisionPreviewer },
) {
  const { planning: database, clock, rules, log, tracing, topics } = core;
  const joined = new JoinedDatabase(database);
  const inTransaction: Inside = (work) => joined.transaction(work);
  const { events: seen } = eventMetrics();
  const counted = (verdict: string, code: string): void => seen.inc({ verdict, code });
  const events = new AcceptEvents({ inTransaction, clock, rules, parser, topics, log, tracing, counted });
  const { metrics = [], ...consumers } = consumersOf(core, events, inTransaction);
  return {
    events,
    parked: new EndParked({ inTransaction, clock, parser, deadTopic: topics.dead }),
    providers: [
      { provide: AcceptEvents, useValue: events },
      { provide: RefuseChangedPlan, useValue: new RefuseChangedPlan(database, drafts, plans) },
      {
        provide: PatchCampaign,
        useValue: new PatchCampaign({ database: joined, intake: events, drafts, previews, clock }),
      },
      { provide: WarnOfTaken, useValue: new WarnOfTaken(plans, clock, log) },
      { provide: SettleRejection, useValue: new SettleRejection(events, joined, clock) },
    ],
    ...consumers,
    metrics: [seen, ...metrics],
  };
}

function consumersOf(core: Core, intake: AcceptEvents, inTransaction: Inside): Stage {
  const { config, kafka, planning: sql, log } = core;
  if (kafka === undefined || config.kafka === undefined || !config.roles.has('accept')) return {};
  const { groupId, topics } = config.kafka;
  const metrics = acceptMetrics();
  const placeLost = (): void => kafka.beginAnew();
  const passedOver = (count: number): void => metrics.passedOver.inc(count);
  const consume = (consumer: EventsConsumer, group: string, topic: string): void =>
    kafka.consume({
      groupId: group,
      topics: [topic],
      handle: (batch) => consumer.handle(batch),
      begin: (assigned) => consumer.begin(assigned),
    });
  const { clock, rules } = core;
  const refused = (code: string): void => metrics.zonesPassedOver.inc({ code });
  const zones = new TakeZones({ inTransaction, clock, rules, log, refused });
  return {
    metrics: Object.values(metrics),
    // KafkaConnection.close() ends them, after the batch in hand.
    onStart: () => {
      consume(new EventsConsumer({ intake, sql, log, passedOver, placeLost }), groupId, topics.events);
      // In a group of its own, for members of a group read the same topics.
      if (topics.zones !== undefined)
        consume(new EventsConsumer({ intake: zones, sql, log, placeLost }), `${groupId}-zones`, topics.zones);
    },
  };
}
