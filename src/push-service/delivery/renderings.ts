// Messages rendered by push type and language, each once while its firing's chunks go by. Holds a bounded number.
import type { EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Message } from '../messages/message-request.js';
import { requestsOfFirings } from './chunk.store.js';
import { apnsTtlHeaders } from './deadlines.js';
import { isTooLarge, renderVariant, type Variant } from '../../push-contract/payload/render.js';

/** Firings whose rendering is remembered from claim to claim; each is some languages times two texts. */
const MAX_RENDERINGS = 64;

/** The variants of one device type that a chunk's devices need. */
export interface ChunkVariants {
  readonly all: readonly Variant[];
  /** Index in `all` of each language. */
  readonly byLanguage: ReadonlyMap<string, number>;
  /** Those that no provider takes. */
  readonly tooLarge: ReadonlySet<number>;
}

interface Made {
  readonly variant: Variant;
  readonly isTooLarge: boolean;
}

/** What of a request is needed here (kept-request.ts). */
interface KeptMessage {
  readonly message: Message;
  readonly trace?: TraceContext;
}

export class Rendering {
  readonly #made = new Map<string, Made>();
  #read: KeptMessage | undefined;

  /** Of a message request, JSON text; read when it is first needed, so that what breaks is its own. */
  constructor(
    private readonly request: string,
    private readonly firedAt: EpochMs,
  ) {}

  /** `onMade` is given each the first time. A language's variant is the same object from chunk to chunk. */
  variants(
    deviceType: DeviceType,
    languages: Iterable<string>,
    onMade: (made: Variant) => void,
  ): ChunkVariants {
    const all: Variant[] = [];
    const tooLarge = new Set<number>();
    const byLanguage = new Map<string, number>();
    for (const language of languages) {
      if (byLanguage.has(language)) continue;
      const made = this.#make(deviceType, language, onMade);
      byLanguage.set(language, all.length);
      if (made.isTooLarge) tooLarge.add(all.length);
      all.push(made.variant);
    }
    return { all, byLanguage, tooLarge };
  }

  /** That the message belongs to. */
  get trace(): TraceContext | undefined {
    return this.#asRead().trace;
  }

  #asRead(): KeptMessage {
    this.#read ??= JSON.parse(this.request) as KeptMessage;
    return this.#read;
  }

  #make(deviceType: DeviceType, language: string, onMade: (made: Variant) => void): Made {
    const key = `${deviceType} ${language}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const { message } = this.#asRead();
    const rendered = renderVariant(message, deviceType, language);
    const ttl = deviceType === 'APNS' ? apnsTtlHeaders(message, this.firedAt) : {};
    const variant = { ...rendered, headers: { ...ttl, ...rendered.headers } };
    const made = { variant, isTooLarge: isTooLarge(variant) };
    this.#made.set(key, made);
    onMade(variant);
    return made;
  }
}

export class Renderings {
  readonly #remembered = new Map<string, Rendering>();

  constructor(private readonly sql: Sql) {}

  /** Of each firing whose message is there. */
  async of(firingIds: readonly string[]): Promise<ReadonlyMap<string, Rendering>> {
    const found = new Map<string, Rendering>();
    const missing = new Set<string>();
    for (const id of firingIds) {
      const known = this.#remembered.get(id);
      if (known === undefined) missing.add(id);
      else found.set(id, known);
    }
    if (missing.size === 0) return found;
    for (const { firingId, firedAt, request } of await requestsOfFirings(this.sql, [...missing])) {
      const rendering = new Rendering(request, firedAt.getTime());
      found.set(firingId, rendering);
      // Of a run of small firings none comes again.
      if (missing.size === 1) this.#remember(firingId, rendering);
    }
    return found;
  }

  /** What was rendered of it could not be kept: it is rendered anew. */
  forget(firingId: string): void {
    this.#remembered.delete(firingId);
  }

  #remember(firingId: string, rendering: Rendering): void {
    this.#remembered.set(firingId, rendering);
    const oldest = this.#remembered.keys().next();
    if (this.#remembered.size > MAX_RENDERINGS && oldest.value !== undefined)
      this.#remembered.delete(oldest.value);
  }
}
