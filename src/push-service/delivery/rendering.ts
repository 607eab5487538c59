// A firing's message as its devices get it: rendered for each push type and language, each variant once.
import type { EpochMs } from '../../platform/clock.js';
import type { TraceContext } from '../../platform/tracing/trace-context.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Message } from '../messages/message-request.js';
import { apnsTtlHeaders } from './deadlines.js';
import {
  isTooLarge,
  isTooLargeBesideText,
  renderVariant,
  type Variant,
} from '../../push-contract/payload/render.js';

/** The variants of one device type that a chunk's devices need. */
export interface ChunkVariants {
  readonly all: readonly Variant[];
  /** Index in `all` of each language. */
  readonly byLanguage: ReadonlyMap<string, number>;
  /** Indexes of the variants that are larger than a provider accepts. */
  readonly tooLarge: ReadonlySet<number>;
}

interface Made {
  readonly variant: Variant;
  readonly isTooLarge: boolean;
}

/** The part of a kept request that is used here (kept-request.ts). */
interface KeptMessage {
  readonly message: Message;
  readonly trace?: TraceContext;
}

export class Rendering {
  readonly #made = new Map<string, Made>();
  readonly #isTooLarge = new Map<DeviceType, boolean>();
  #parsed: KeptMessage | undefined;

  /** `request`: JSON text. It is parsed when it is first needed, so that a broken request fails its own chunks only. */
  constructor(
    private readonly request: string,
    private readonly firedAt: EpochMs,
  ) {}

  /** Calls `onMade` with each new variant that can be sent. The variant of a language is the same object from chunk to chunk. */
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

  /** The trace that the message belongs to. */
  get trace(): TraceContext | undefined {
    return this.#kept.trace;
  }

  get #kept(): KeptMessage {
    return (this.#parsed ??= JSON.parse(this.request) as KeptMessage);
  }

  #make(deviceType: DeviceType, language: string, onMade: (made: Variant) => void): Made {
    const key = `${deviceType} ${language}`;
    const known = this.#made.get(key);
    if (known !== undefined) return known;
    const made = this.#render(deviceType, language);
    this.#made.set(key, made);
    if (!made.isTooLarge) onMade(made.variant);
    return made;
  }

  #render(deviceType: DeviceType, language: string): Made {
    const { message } = this.#kept;
    // It is never sent, so its bytes are not kept: in each language they may be as many as the whole request.
    const tooLarge = { variant: { deviceType, language, headers: {}, body: '' }, isTooLarge: true };
    const isInAll = this.#isTooLarge.get(deviceType) ?? isTooLargeBesideText(message, deviceType);
    this.#isTooLarge.set(deviceType, isInAll);
    if (isInAll) return tooLarge;
    const rendered = renderVariant(message, deviceType, language);
    if (isTooLarge(rendered)) return tooLarge;
    const ttl = deviceType === 'APNS' ? apnsTtlHeaders(message, this.firedAt) : {};
    return { variant: { ...rendered, headers: { ...ttl, ...rendered.headers } }, isTooLarge: false };
  }
}
