// The bounds of settings that cost other services something: turns, calls and event sources. The admins of a service may not exceed
// them. Only a token for all services sets them: the value that it gives such a setting is also its bound, unless it names another
// bound. Pure.
import { z } from 'zod';
import type { FoundProblem } from '../../../platform/http/problem.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { isNamed } from '../../decide/source-patterns.js';

/** As a project shows them. */
export const ProjectBounds = z.object({
  weight: z.int(),
  ratePerSecond: z.int(),
  inFlight: z.int(),
  sources: listOf(z.string()),
});
export type ProjectBounds = z.output<typeof ProjectBounds>;
export type GivenBounds = { readonly [Name in keyof ProjectBounds]?: ProjectBounds[Name] | undefined };

export const BEYOND_BOUNDS = 'BEYOND_BOUNDS';

/** The bounds that a token for all services sets with these settings. */
export function boundsSet(settings: GivenBounds, named: GivenBounds = {}): GivenBounds {
  const { weight, ratePerSecond, inFlight, sources } = settings;
  return {
    weight: named.weight ?? weight,
    ratePerSecond: named.ratePerSecond ?? ratePerSecond,
    inFlight: named.inFlight ?? inFlight,
    sources: named.sources ?? sources,
  };
}

/** The settings that go beyond the bounds. */
export function beyondBounds(settings: GivenBounds, bounds: ProjectBounds): FoundProblem[] {
  const problem = (name: string, text: string): FoundProblem => ({
    pointer: `/${name}`,
    code: BEYOND_BOUNDS,
    text,
  });
  const high = (['weight', 'ratePerSecond', 'inFlight'] as const).flatMap((name) =>
    (settings[name] ?? 0) <= bounds[name]
      ? []
      : [problem(name, `must be at most ${bounds[name]} for this project`)],
  );
  const foreign = (settings.sources ?? []).flatMap((source, at) =>
    isNamed(source, bounds.sources)
      ? []
      : [problem(`sources/${at}`, 'is not among the sources that this project may name')],
  );
  return [...high, ...foreign];
}
