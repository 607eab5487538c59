// The states of sends and campaigns as answers of the API show them, each with its kind for clients (x-kinds).
import { z } from 'zod';
import { CAMPAIGN_KINDS, CAMPAIGN_STATES } from '../../decide/lifecycle/campaign-state.js';
import { SEND_KINDS, SEND_STATES } from '../../decide/lifecycle/send-state.js';

export const SendStateView = z.enum(SEND_STATES).meta({ id: 'SendState', 'x-kinds': SEND_KINDS });

export const CampaignStateView = z
  .enum(CAMPAIGN_STATES)
  .meta({ id: 'CampaignState', 'x-kinds': CAMPAIGN_KINDS });
