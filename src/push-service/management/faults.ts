// The faults of the sandbox: what is to go wrong, for which operation, how often and with what probability. This file only
// decides. fault.hooks.ts and the expand loops carry faults out.
import { z } from 'zod';
import { OPERATION_NAMES } from '../gateway/operations.js';

/** The name of a reservation's firing among the operations of the interface. */
export const FIRING = 'reservationFiring';

const common = {
  operation: z.enum([...OPERATION_NAMES, FIRING, '*']),
  /** The service to which it applies; by default every service. */
  serviceId: z.string().optional(),
  /** 0 to 1; 1 by default. */
  probability: z.number().min(0).max(1).default(1),
  /** How often it strikes; without a count, until it is removed. */
  count: z.number().int().min(1).max(1_000_000).optional(),
};

export const FaultRequest = z
  .discriminatedUnion('kind', [
    /** Delays the answer by so many real milliseconds. */
    z.strictObject({ kind: z.literal('delay'), ms: z.number().int().min(1).max(120_000), ...common }),
    /** Answers with the gateway's error and does nothing. */
    z.strictObject({
      kind: z.literal('error'),
      error: z.enum([
        'quotaExceeded',
        'throttleLimited',
        'rateLimited',
        'unexpected',
        'endpointError',
        'endpointTimeout',
      ]),
      retryAfterSeconds: z.number().int().min(1).max(86_400).optional(),
      ...common,
    }),
    /** Takes effect, then closes the connection without an answer. */
    z.strictObject({ kind: z.literal('answerLost'), ...common }),
    /** Resets the connection and does nothing. */
    z.strictObject({ kind: z.literal('reset'), ...common }),
    /** Takes effect, then sends half of the body and closes the connection. */
    z.strictObject({ kind: z.literal('truncated'), ...common }),
    /** Ends the firing of a reservation in this state. */
    z.strictObject({
      kind: z.literal('firing'),
      ending: z.enum(['FAIL', 'STALE']),
      ...common,
      operation: z.literal(FIRING).default(FIRING),
    }),
  ])
  .refine((fault) => (fault.operation === FIRING) === (fault.kind === 'firing'), {
    path: ['operation'],
    message: `${FIRING} is for the kind "firing" and for no other`,
  });
export type FaultRequest = z.output<typeof FaultRequest>;

export interface Fault {
  readonly id: number;
  readonly fault: FaultRequest;
  /** How often it still strikes; null: until it is removed. */
  left: number | null;
  /** How often it has struck already. */
  struck: number;
}

export class Faults {
  readonly #faults = new Map<number, Fault>();
  #lastId = 0;

  /** `random` gives [0, 1). */
  constructor(private readonly random: () => number = Math.random) {}

  add(fault: FaultRequest): Fault {
    this.#lastId += 1;
    const added: Fault = { id: this.#lastId, fault, left: fault.count ?? null, struck: 0 };
    this.#faults.set(added.id, added);
    return added;
  }

  list(): readonly Fault[] {
    return [...this.#faults.values()];
  }

  /** Returns whether there was one. */
  remove(id: number): boolean {
    return this.#faults.delete(id);
  }

  clear(): void {
    this.#faults.clear();
  }

  /** Returns the first fault that strikes, and counts it down. A fault that is used up stays in the list with `left` 0. */
  strike(operationName: string, serviceId: string | undefined): FaultRequest | undefined {
    const struck = [...this.#faults.values()].find(({ fault, left }) => {
      const { operation, probability } = fault;
      const isMeant = operation === operationName || (operation === '*' && operationName !== FIRING);
      const isForService = fault.serviceId === undefined || fault.serviceId === serviceId;
      return isMeant && isForService && left !== 0 && this.random() < probability;
    });
    if (struck === undefined) return undefined;
    if (struck.left !== null) struck.left -= 1;
    struck.struck += 1;
    return struck.fault;
  }
}
