// The figures of sends and devices as each way of telling them has them, in one form: `planned`, `sends.…`, `devices.…`,
// `reported.…`, zeros left out, so that any two can be compared. Holds no expectation of its own.

export type Figures = Readonly<Record<string, number>>;
type Counts = Readonly<Record<string, number>>;

function named(entries: Iterable<readonly [string, number]>): Figures {
  return Object.fromEntries(
    [...entries].filter(([, number]) => number !== 0).sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** Reads a report or a summary as JSON: its totals or a row. */
export function figuresOfJson({
  sends,
  devices,
  reported,
}: {
  readonly sends: Counts;
  readonly devices: Counts;
  readonly reported?: { readonly devices: Counts } | undefined;
}): Figures {
  return named([
    ...Object.entries(sends).map(
      ([term, number]) => [term === 'planned' ? term : `sends.${term}`, number] as const,
    ),
    ...Object.entries(devices).map(([term, number]) => [`devices.${term}`, number] as const),
    ...Object.entries(reported?.devices ?? {}).map(
      ([outcome, number]) => [`reported.${outcome}`, number] as const,
    ),
  ]);
}

/** Reads a row of a view. */
export function figuresOfView(row: Readonly<Record<string, unknown>>): Figures {
  return named(
    Object.entries(row)
      .filter(([column]) => /^(?:planned$|sends_|devices_)/.test(column))
      .map(([column, number]) => [column.replace('_', '.'), Number(number)]),
  );
}

/** Reads a line of CSV. */
export function figuresOfCsv(line: Readonly<Record<string, string>>): Figures {
  return named(
    Object.entries(line)
      .filter(([column]) => /^(?:sends|devices)\./.test(column))
      .map(([column, number]) => [column === 'sends.planned' ? 'planned' : column, Number(number)]),
  );
}

interface Line {
  readonly left: number;
  readonly right: Counts;
}

export function figuresOfLedger({
  planned,
  devices,
}: {
  readonly planned: Line;
  readonly devices: Line;
}): Figures {
  return figuresOfJson({
    sends: { planned: planned.left, ...planned.right },
    devices: { target: devices.left, ...devices.right },
  });
}

export function sumOfFigures(all: readonly Figures[]): Figures {
  const sums = new Map<string, number>();
  for (const figures of all)
    for (const [name, number] of Object.entries(figures)) sums.set(name, (sums.get(name) ?? 0) + number);
  return named(sums);
}

/** The lines of a CSV (RFC 4180) by its headers. */
export function csvLines(csv: string): Record<string, string>[] {
  const [header = [], ...lines] = csv
    .trimEnd()
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) =>
        quoted === undefined ? plain : quoted.replaceAll('""', '"'),
      ),
    );
  return lines.map((line) => Object.fromEntries(header.map((name, index) => [name, line[index] ?? ''])));
}
