// Loaded before a spec that is run at two times of the year: there the machine's clock shows the instant that
// SPEC_RUNS_AT names and goes on from it. Timers and performance.now() are left alone, so waiting takes what it takes.
// A process that runs several specs loads it for each: the first of them has set its clock.
const asked = process.env['SPEC_RUNS_AT'] ?? '';
const instant = Date.parse(asked);
if (!Number.isFinite(instant)) throw new Error(`SPEC_RUNS_AT is no instant: ${asked}`);

/** performance.now() cannot be moved by it. */
const isSet = Math.abs(Date.now() - performance.timeOrigin - performance.now()) > 60_000;
if (!isSet) setClock(instant - Date.now());

function setClock(aheadMs: number): void {
  const RealDate = Date;
  const now = (): number => RealDate.now() + aheadMs;
  const MovedDate = new Proxy(RealDate, {
    get: (target, name): unknown => (name === 'now' ? now : Reflect.get(target, name)),
    construct: (target, given: unknown[], made): object =>
      Reflect.construct(
        target,
        given.length === 0 ? [now()] : given,
        made === MovedDate ? target : made,
      ) as object,
    apply: () => new RealDate(now()).toString(),
  });
  RealDate.prototype.constructor = MovedDate;
  globalThis.Date = MovedDate;
}
