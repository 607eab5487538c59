// The order of spec files: those that mostly wait (journeys, launchers, outages) begin first, so that the others fill
// the time beside them. Without it the run ends with one file waiting and every other worker idle.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

const LONGEST = [
  'test/journey/demo',
  'test/contract/bootstrap',
  'test/integration/dispatch/chaos',
  'test/integration/dispatch/race',
  'test/journey/',
  'tools/',
  'test/integration/push-service/fan-out',
  'outage',
];

function rank({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((part) => moduleId.includes(part));
  return found === -1 ? LONGEST.length : found;
}

export default class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(
      files.toSorted((a, b) => rank(a) - rank(b) || a.moduleId.localeCompare(b.moduleId)),
    );
  }
}
