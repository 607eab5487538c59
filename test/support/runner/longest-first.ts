// The order of spec files: the longest begin first, so that the run does not end with one of them and idle workers beside
// it; most of their time they wait, and the others fill it. Those that share processes come last, each project in the same
// order.
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
  'test/integration/admin/retention.',
  'test/integration/plan/lost-commit-answers',
  'test/integration/push-service/slow-callers',
  'test/integration/tracing/',
  'test/integration/accept/secured-kafka',
  'test/integration/admin/command',
  'test/integration/platform/kafkajs-conformance',
  'test/integration/platform/pools',
  'test/integration/dispatch/killed',
  'test/integration/dispatch/answers-lost-at-random',
  'test/contract/bootstrap',
  'test/contract/one-entry-for-each-state',
  'tools/',
];

function rank({ moduleId }: TestSpecification): number {
  const found = LONGEST.findIndex((part) => moduleId.includes(part));
  return found === -1 ? LONGEST.length : found;
}

export default class LongestFirst extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(
      files.toSorted(
        (a, b) =>
          Number(!a.project.config.isolate) - Number(!b.project.config.isolate) ||
          (a.project.config.isolate ? 0 : a.project.name.localeCompare(b.project.name)) ||
          rank(a) - rank(b) ||
          a.moduleId.localeCompare(b.moduleId),
      ),
    );
  }
}
