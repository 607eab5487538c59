// Every migration of the scheduler's schema, oldest first. Listed by hand: a glob would load .ts files natively.
import type { MigrationInterface } from 'typeorm';
import { Baseline1763700000001 } from './1763700000001-baseline.js';
import { Rollups1763700000002 } from './1763700000002-rollups.js';
import { ReportViews1763800000001 } from './1763800000001-report-views.js';
import { CampaignMoves1763800000002 } from './1763800000002-campaign-moves.js';
import { Breakdowns1763900000001 } from './1763900000001-breakdowns.js';
import { CampaignTags1763910000001 } from './1763910000001-campaign-tags.js';
import { CampaignTagsKept1763910000002 } from './1763910000002-campaign-tags-kept.js';
import { RetriesFound1763910000003 } from './1763910000003-retries-found.js';
import { ResolvesOfMany1763910000004 } from './1763910000004-resolves-of-many.js';
import { CampaignReferences1763920000001 } from './1763920000001-campaign-references.js';
import { CampaignCounts1763920000002 } from './1763920000002-campaign-counts.js';
import { Lifecycle1763930000001 } from './1763930000001-lifecycle.js';
import { RolledEvents1763940000001 } from './1763940000001-rolled-events.js';
import { DaysSetBack1763950000001 } from './1763950000001-days-set-back.js';

export const schedulerMigrations: readonly (new () => MigrationInterface)[] = [
  Baseline1763700000001,
  Rollups1763700000002,
  ReportViews1763800000001,
  CampaignMoves1763800000002,
  Breakdowns1763900000001,
  CampaignTags1763910000001,
  CampaignTagsKept1763910000002,
  RetriesFound1763910000003,
  ResolvesOfMany1763910000004,
  CampaignReferences1763920000001,
  CampaignCounts1763920000002,
  Lifecycle1763930000001,
  RolledEvents1763940000001,
  DaysSetBack1763950000001,
];
