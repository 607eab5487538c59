// Every migration of the scheduler's schema, oldest first. Listed by hand: a glob would load .ts files natively.
import { Foundation1763700000001 } from './1763700000001-foundation.js';
import { Intake1763700000002 } from './1763700000002-intake.js';
import { Campaigns1763700000003 } from './1763700000003-campaigns.js';
import { Sends1763700000004 } from './1763700000004-sends.js';
import { PlanPreviews1763700000005 } from './1763700000005-plan-previews.js';
import { Outcomes1763700000006 } from './1763700000006-outcomes.js';
import { Pace1763700000007 } from './1763700000007-pace.js';
import { AudienceFacts1763700000008 } from './1763700000008-audience-facts.js';
import { LeanOutcomes1763700000011 } from './1763700000011-lean-outcomes.js';
import { HotStatements1763700000012 } from './1763700000012-hot-statements.js';
import { Operations1763700000013 } from './1763700000013-operations.js';
import { Looks1763700000014 } from './1763700000014-looks.js';
import { PartitionsOneByOne1763700000015 } from './1763700000015-partitions-one-by-one.js';
import { ClaimStatement1763700000017 } from './1763700000017-claim-statement.js';
import { FireOnTime1763700000018 } from './1763700000018-fire-on-time.js';
import { FollowStatements1763700000019 } from './1763700000019-follow-statements.js';
import { KnownUncertain1763700000022 } from './1763700000022-known-uncertain.js';
import { AnswersAndGoals1763700000023 } from './1763700000023-answers-and-goals.js';
import { WorkDue1763700000024 } from './1763700000024-work-due.js';
import { CancelsApart1763700000025 } from './1763700000025-cancels-apart.js';
import { FiredByClaim1763700000026 } from './1763700000026-fired-by-claim.js';
import { InPages1763700000027 } from './1763700000027-in-pages.js';
import { UnwrittenAnswers1763700000028 } from './1763700000028-unwritten-answers.js';
import { WhyBlocked1763700000029 } from './1763700000029-why-blocked.js';
import { OutcomesInColumns1763700000030 } from './1763700000030-outcomes-in-columns.js';

export const schedulerMigrations = [
  Foundation1763700000001,
  Intake1763700000002,
  Campaigns1763700000003,
  Sends1763700000004,
  PlanPreviews1763700000005,
  Outcomes1763700000006,
  Pace1763700000007,
  AudienceFacts1763700000008,
  LeanOutcomes1763700000011,
  HotStatements1763700000012,
  Operations1763700000013,
  Looks1763700000014,
  PartitionsOneByOne1763700000015,
  ClaimStatement1763700000017,
  FireOnTime1763700000018,
  FollowStatements1763700000019,
  KnownUncertain1763700000022,
  AnswersAndGoals1763700000023,
  WorkDue1763700000024,
  CancelsApart1763700000025,
  FiredByClaim1763700000026,
  InPages1763700000027,
  UnwrittenAnswers1763700000028,
  WhyBlocked1763700000029,
  OutcomesInColumns1763700000030,
];
