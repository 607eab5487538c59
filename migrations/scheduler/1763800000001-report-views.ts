import type { MigrationInterface, QueryRunner } from 'typeorm';
import { functionsOf, installFunctions } from '../install-functions.js';
import { dropReportViews, installReportViews } from '../install-report-views.js';

/** The views that analysts read (docs/reports.md): report_campaign, report_cell, report_lateness, report_send. */
export class ReportViews1763800000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await installFunctions(runner, functionsOf('scheduler'), ['grant_reports']);
    await installReportViews(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropReportViews(runner);
  }
}

/** viewsDigest() of the views that it installs: once released, changed views take a migration of their own. */
export const INSTALLS = '6fcdaaa7df12bb15';
