// The order of spec files: the longest begin first, so that the run does not end with one of them and idle workers beside
// it; most of their time they wait, and the others fill it. Those that share a process come last, one project after the other.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** By what they took, the longest first; the name is enough. */
const LONGEST = [
  'test/journey/faults',
  'test/journey/demo',
  'test/integration/dispatch/chaos',
  'test/integration/dispatch/race',
  'test/journey/',
  'outage',
  'test/integration/push-service/fan-out',
  'test/integration/push-service/provider-faults',
  'test/contract/bootstrap',
  'test/contract/one-place',
  'tools/',
];

function rank({ moduleId, project }: TestSpecification): number {
  if (!project.config.isolate) return LONGEST.length + 1;
  const found = LONGEST.findIndex((part) => moduleId.includes(part));
  return found === -1 ? LONGEST.length : found;
}

export default class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(
      files.toSorted(
        (a, b) =>
          rank(a) - rank(b) ||
          (a.project.config.isolate ? 0 : a.project.name.localeCompare(b.project.name)) ||
          a.moduleId.localeCompare(b.moduleId),
      ),
    );
  }
}
