// What is said of the credentials of services.
import { noteByDatabase } from '../../platform/http/health.js';
import type { Stage } from '../../platform/stage.js';
import type { Core } from '../core.js';
import { credentialMetrics } from '../metrics.js';
import { troubledInWords } from './credential-health.js';

export const credentialsStage = ({ database, clock }: Core): Stage => ({
  checks: [
    noteByDatabase('provider credentials', async () => (await troubledInWords(database, clock)).join(' ')),
  ],
  metrics: credentialMetrics(database, clock),
});
