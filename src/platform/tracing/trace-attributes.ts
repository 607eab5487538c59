// The CloudEvents attributes of the Distributed Tracing extension, on the events that we publish.
import { z } from 'zod';
import { TRACEPARENT_EXAMPLE, TRACEPARENT_FORM } from './trace-context.js';

export const traceAttributes = {
  traceparent: z
    .string()
    .regex(TRACEPARENT_FORM)
    .meta({ examples: [TRACEPARENT_EXAMPLE] })
    .optional()
    .describe('The trace of the event that it answers (W3C Trace Context); left out where that had none'),
  tracestate: z
    .string()
    .max(512)
    .meta({ examples: ['congo=t61rcWkgMzE'] })
    .optional()
    .describe('What tracing systems keep beside it'),
} as const;
