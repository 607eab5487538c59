// Messages rendered by push type and language, each once while its firing's chunks go by. Holds a bounded number.
import type { Sql } from '../../platform/database/database.js';
import type { DeviceType } from '../../push-contract/statuses.js';
import type { Message } from '../messages/message-request.js';
import { requestsOfFirings } from './chunk.store.js';
import { renderVariant, type Variant } from './render.js';

/** Firings whose rendering is remembered from claim to claim; each is some languages times two texts. */
const MAX_RENDERINGS = 64;

export class Rendering {
  readonly #variants = new Map<string, Variant>();

  constructor(private readonly message: Message) {}

  /** `onMade` is given it the first time. */
  variant(deviceType: DeviceType, language: string, onMade: (made: Variant) => void): Variant {
    const key = `${deviceType} ${language}`;
    const known = this.#variants.get(key);
    if (known !== undefined) return known;
    const made = renderVariant(this.message, deviceType, language);
    this.#variants.set(key, made);
    onMade(made);
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
    for (const { firingId, request } of await requestsOfFirings(this.sql, [...missing])) {
      const { message } = JSON.parse(request) as { message: Message };
      const rendering = new Rendering(message);
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
