// luxon on our zone rules (planning.md §8): formatting and arithmetic then agree with what was planned, whatever ICU
// says. Never used to resolve a wall time.
import { IANAZone, Zone, type ZoneOffsetOptions } from 'luxon';
import { formatOffset, MINUTE_MS } from './civil.js';
import type { ZoneRules } from './ports.js';
import type { TransitionTable } from './transition-table.js';
import { requireZoneTable } from './zones.js';

export class RulesZone extends Zone {
  readonly #name: string;
  readonly #rules: ZoneRules;
  readonly #table: TransitionTable;

  /** Throws a RangeError for a zone that the rules do not know. */
  constructor(name: string, rules: ZoneRules) {
    super();
    this.#name = name;
    this.#rules = rules;
    this.#table = requireZoneTable(name, rules);
  }

  override get type(): string {
    return 'rules';
  }
  override get name(): string {
    return this.#name;
  }
  override get isUniversal(): boolean {
    return false;
  }
  override get isValid(): boolean {
    return true;
  }

  /** Minutes ahead of UTC, as luxon wants them. */
  override offset(instant: number): number {
    return this.#table.offsetAt(instant) / MINUTE_MS;
  }

  /** The words of a zone (`EST`) are ICU's; where ICU does not know the zone, its offset stands for them. */
  override offsetName(instant: number, options: ZoneOffsetOptions): string | null {
    return IANAZone.isValidZone(this.#name)
      ? IANAZone.create(this.#name).offsetName(instant, options)
      : formatOffset(this.#table.offsetAt(instant));
  }

  override formatOffset(instant: number, format: 'narrow' | 'short' | 'techie'): string {
    const text = formatOffset(this.#table.offsetAt(instant));
    if (format === 'techie') return text.replace(':', '');
    return format === 'narrow' ? text.replace(/^([+-])0/, '$1').replace(/:00$/, '') : text;
  }

  override equals(other: Zone): boolean {
    return other instanceof RulesZone && other.#name === this.#name && other.#rules === this.#rules;
  }
}
