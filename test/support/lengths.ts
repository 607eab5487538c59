// How long a test goes on. `npm test` must end in minutes; `npm run test:long` runs the same tests at full length, and
// any single length can be set by its variable.

export interface Length {
  /** In `npm test`. */
  normal: number;
  /** In `npm run test:long`. */
  long: number;
}

/** The length called `name`, such as OUTAGE_SECONDS: what CARILLON_TEST_<name> says, else by the kind of run. */
export function testLength(name: string, { normal, long }: Length): number {
  const given = process.env[`CARILLON_TEST_${name}`];
  if (given === undefined || given === '') return process.env['CARILLON_TEST_LONG'] === '1' ? long : normal;
  const length = Number(given);
  if (!(length > 0)) throw new RangeError(`CARILLON_TEST_${name} must be a number above 0, and is ${given}`);
  return length;
}
