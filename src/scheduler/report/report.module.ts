// What analysts and publishers read: campaigns, sends, reports, the ledger. No loops: reading is the api role's.
import { Module } from '@nestjs/common';
import { CampaignsController } from './campaigns.controller.js';
import { ReportsController } from './reports.controller.js';
import { SendsController } from './sends.controller.js';

@Module({ controllers: [CampaignsController, SendsController, ReportsController] })
export class ReportModule {}
