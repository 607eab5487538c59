// What an edited replay may change, and what it changed, for the audit. Pure.
import { isDeepStrictEqual } from 'node:util';
import type { FoundProblem } from '../../../platform/http/problem.js';
import { shorten } from '../../decide/quote-value.js';
import { EnvelopeData } from '../parse/campaign-event.js';
import { isObject } from '../parse/read-json.js';
import { below, shortPointer } from '../parse/reason.js';

/** One place at which two events differ; a member that one of them lacks is left out. Values are JSON, shortened. */
interface Change {
  readonly pointer: string;
  readonly before?: string;
  readonly after?: string;
}

export interface EventDifference {
  readonly changes: readonly Change[];
  /** Further changes, which are not listed. */
  readonly more: number;
}

const MOST_CHANGES = 50;
const MOST_SHOWN = 200;

/**
 * Why the edited event is not of the rejected event's service and campaign; empty where it is. It may give a serviceId or subject
 * that the rejected event lacked, or gave in a form that no campaign can have.
 */
export function notKept(
  rejected: { readonly serviceId: string | null; readonly subject: string | null },
  edited: Readonly<Record<string, unknown>>,
): FoundProblem[] {
  const { serviceId, subject } = rejected;
  const data = isObject(edited['data']) ? edited['data'] : {};
  const problems: FoundProblem[] = [];
  const keep = (pointer: string, kept: string, given: unknown): void => {
    if (given === kept) return;
    const text = `stays ${shortJson(kept)}: an edited replay is of the same service and campaign; publish any other event`;
    problems.push({ pointer, code: 'INVALID_VALUE', text });
  };
  if (serviceId !== null) keep('/event/data/serviceId', serviceId, data['serviceId']);
  if (EnvelopeData.shape.subject.safeParse(subject).success)
    keep('/event/subject', String(subject), edited['subject']);
  return problems;
}

/** How `after` differs from `before`, which is undefined where it could not be read. Only listed changes are made into text. */
export function eventDifference(before: unknown, after: unknown): EventDifference {
  const changes: Change[] = [];
  let more = 0;
  for (const changed of changesIn({ before, after, pointer: '', isOfRecipients: false })) {
    if (changes.length < MOST_CHANGES) changes.push(shownChange(changed));
    else more += 1;
  }
  return { changes, more };
}

interface Compared {
  readonly before: unknown;
  readonly after: unknown;
  /** Shortened: one long name with many members below it made 37 MB of pointers. */
  readonly pointer: string;
  /** Recipients are counted, not named: the audit is kept for ever. */
  readonly isOfRecipients: boolean;
}

function* changesIn({ before, after, pointer, isOfRecipients }: Compared): Generator<Compared> {
  if (isContainer(before) && isContainer(after) && !isOfRecipients) {
    const [old, fresh] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
    for (const name of new Set([...old.keys(), ...fresh.keys()]))
      yield* changesIn({
        before: old.get(name),
        after: fresh.get(name),
        pointer: shortPointer(below(pointer, name)),
        isOfRecipients: name === 'to',
      });
  } else if (!isDeepStrictEqual(before, after)) {
    yield { before, after, pointer, isOfRecipients };
  }
}

function shownChange({ before, after, pointer, isOfRecipients }: Compared): Change {
  return {
    pointer,
    ...(before !== undefined && { before: shownAt(before, isOfRecipients) }),
    ...(after !== undefined && { after: shownAt(after, isOfRecipients) }),
  };
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function shownAt(value: unknown, isOfRecipients: boolean): string {
  return isOfRecipients && Array.isArray(value) ? `${value.length} entries` : shortJson(value);
}

function shortJson(value: unknown): string {
  return shorten(JSON.stringify(value), MOST_SHOWN);
}
