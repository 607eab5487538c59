// What every act on a campaign takes beside its body.
import { z } from 'zod';

export const actQuery = z.object({
  preview: z.enum(['true', 'false']).default('false').describe('true: only count what the act would do'),
});
export type ActQuery = z.output<typeof actQuery>;
