// Loaded before a spec that is run at two times of the year: there the machine's clock shows the instant that
// SPEC_RUNS_AT names and goes on from it. Timers and performance.now() are left alone, so waiting takes what it takes.
const RealDate = Date;
const asked = process.env['SPEC_RUNS_AT'] ?? '';
const aheadMs = RealDate.parse(asked) - RealDate.now();
if (!Number.isFinite(aheadMs)) throw new Error(`SPEC_RUNS_AT is no instant: ${asked}`);

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
