// Parses bodies: small ones on the event loop, in a few milliseconds, and large ones in a thread with its own limits of heap and
// time, so that one caller's megabytes delay nobody's send.
import { WorkLimitError } from '../../platform/workers/worker-errors.js';
import type { WorkerJob, WorkerPool } from '../../platform/workers/worker-pool.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import type * as worker from './parse.worker.js';
import { bodyElements, type BodyElements } from './parse/body-elements.js';
import { MAX_EVENT_BYTES } from './parse/campaign-event.js';
import { NOTHING_SEEN, parseEvent, type ParsedEvent } from './parse/parse-event.js';
import { sizeOf, type RawEvent } from './parse/raw-event.js';
import { readDraft, type ReadDraft } from './parse/read-draft.js';
import { reason } from './parse/reason.js';

interface EventParserDeps {
  readonly rules: ZoneRules;
  /** TZDATA_DIR, from which threads read the same rules. */
  readonly tzdata?: string | undefined;
  /** MAX_PLANNED_CELLS [its default]. */
  readonly mostCells?: number | undefined;
  /** Left out: everything is read on the event loop. */
  readonly pool?: Pick<WorkerPool, 'run'> | undefined;
}

/** Bytes of a body that the event loop reads itself. Estimated, not measured: the worst of them take 10 ms of processor time. */
const SMALL_BYTES = 32 * 1024;

type Jobs = typeof worker;
const job = <Name extends keyof Jobs>(
  name: Name,
): WorkerJob<Parameters<Jobs[Name]>[0], ReturnType<Jobs[Name]>> => ({
  module: new URL('./parse.worker.js', import.meta.url),
  name,
});
const EVENT = job('event');
const DRAFT = job('draft');
const ELEMENTS = job('elements');

export class EventParser {
  constructor(private readonly deps: EventParserDeps) {}

  /** Throws WorkersBusyError where no thread becomes free. */
  async event(raw: RawEvent, now: EpochMs): Promise<ParsedEvent> {
    const { rules, tzdata, mostCells, pool } = this.deps;
    const size = sizeOf(raw);
    // A body beyond the limit is refused unread.
    if (pool === undefined || size <= SMALL_BYTES || size > MAX_EVENT_BYTES || raw.fault !== undefined)
      return parseEvent(raw, { now, rules, mostCells });
    const { caller: _caller, ...rest } = raw;
    // Copies: a Kafka record shares the buffer of its fetch, and the thread would be sent all of that buffer.
    const plain = { ...rest, body: Buffer.from(raw.body), ...(raw.key && { key: Buffer.from(raw.key) }) };
    try {
      return asParsed(
        await pool.run(EVENT, { raw: plain, now, mostCells, tzdata }, [
          'events',
          raw.caller?.tokenId ?? raw.via,
        ]),
      );
    } catch (error) {
      if (!(error instanceof WorkLimitError)) throw error;
      const reasons = [reason('', 'COULD_NOT_BE_TAKEN', `it could not be read: ${error.message}`)];
      return { kind: 'rejection', seen: NOTHING_SEEN, reasons };
    }
  }

  /** Throws WorkersBusyError and WorkLimitError. */
  async draft(bytes: Uint8Array, tokenId: string): Promise<ReadDraft> {
    const { rules, tzdata, pool } = this.deps;
    if (pool === undefined || bytes.length <= SMALL_BYTES) return readDraft(bytes, rules);
    return pool.run(DRAFT, { bytes, tzdata }, ['drafts', tokenId]);
  }

  /** Throws WorkersBusyError and WorkLimitError. */
  async elements(body: Uint8Array, tokenId: string): Promise<BodyElements> {
    const { pool } = this.deps;
    return pool === undefined || body.length <= SMALL_BYTES
      ? bodyElements(body)
      : pool.run(ELEMENTS, body, ['bodies', tokenId]);
  }
}

/** Threads hand bytes over as a Uint8Array. */
function asParsed(parsed: ParsedEvent): ParsedEvent {
  if (parsed.kind === 'rejection') return parsed;
  const { event } = parsed;
  return { ...parsed, event: { ...event, contentHash: Buffer.from(event.contentHash) } };
}
