// The output of LZ4 and Snappy, up to a bound: bytes, and repetitions of bytes that were written before.

export function tooLarge(most: number): RangeError {
  return new RangeError(`unpacks to more than ${most} bytes`);
}

/** For short repetitions a loop is faster than copyWithin(). Texts mostly have short ones. */
const SHORT = 32;
const FIRST_BYTES = 64 * 1024;

export class UnpackOutput {
  #bytes: Buffer;
  #length = 0;

  constructor(private readonly most: number) {
    this.#bytes = Buffer.allocUnsafe(Math.min(FIRST_BYTES, most));
  }

  get length(): number {
    return this.#length;
  }

  all(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  append(source: Buffer, from: number, to: number): void {
    if (to > source.length) throw new RangeError('is cut off');
    this.#makeRoom(to - from);
    source.copy(this.#bytes, this.#length, from, to);
    this.#length += to - from;
  }

  /** Copies `length` bytes, beginning `distance` bytes back. The copy may overlap with what it writes. */
  repeat(distance: number, length: number): void {
    if (distance === 0 || distance > this.#length) throw new RangeError('repeats what is not there');
    this.#makeRoom(length);
    const bytes = this.#bytes;
    const from = this.#length - distance;
    if (length <= SHORT) {
      for (let done = 0; done < length; done += 1) bytes[this.#length + done] = bytes[from + done] ?? 0;
    } else {
      for (let done = 0; done < length;) {
        const step = Math.min(distance + done, length - done);
        bytes.copyWithin(this.#length + done, from, from + step);
        done += step;
      }
    }
    this.#length += length;
  }

  #makeRoom(more: number): void {
    const needed = this.#length + more;
    if (needed > this.most) throw tooLarge(this.most);
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.min(this.most, Math.max(needed, this.#bytes.length * 2)));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
