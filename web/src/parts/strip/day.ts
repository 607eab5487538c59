// A recipient's day as a strip: where on it something was asked, is due first and last, and which hours are night. Works with the wall
// times that the server tells; no clock is worked out here. Pure.

/** Hours of the local day, 0 to 24. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface DayMarks {
  /** Where it was asked, if that is another place than the due. */
  readonly asked: number | undefined;
  readonly due: number | undefined;
  /** Of the last request of the cell, if the pace puts it visibly later. */
  readonly last: number | undefined;
}

/** Advertisements do not go out from 21:00 to 08:00 (campaign-events.md, "Policy"). */
export const NIGHT: readonly Span[] = [
  { from: 0, to: 8 },
  { from: 21, to: 24 },
];

/** As a window of quiet hours `22:00`–`07:00` lies on one day: two parts where it goes over midnight. */
export function quietSpans(start: string, end: string): readonly Span[] {
  const [from, to] = [hourOf(start), hourOf(end)];
  if (from === undefined || to === undefined) return [];
  if (from <= to) return [{ from, to }];
  return [
    { from: 0, to },
    { from, to: 24 },
  ];
}

/** The hour of `09:00` or `2027-03-01T09:00:30`; undefined for anything else. */
export function hourOf(wallTime: string): number | undefined {
  const [, hours, minutes] = /(?:^|T)(\d\d):(\d\d)/.exec(wallTime) ?? [];
  return hours === undefined ? undefined : Number(hours) + Number(minutes) / 60;
}

/** A tenth of an hour is a point of the strip: nearer marks would cover each other. */
const APART_HOURS = 0.1;

export function dayMarks(cell: {
  readonly asked: string | null;
  readonly time: string;
  readonly dueAt: string | null;
  readonly lastDueAt: string | null;
}): DayMarks {
  const due = hourOf(cell.time);
  const asked = cell.asked === null ? undefined : hourOf(cell.asked);
  const later =
    cell.dueAt === null || cell.lastDueAt === null
      ? 0
      : (Date.parse(cell.lastDueAt) - Date.parse(cell.dueAt)) / 3_600_000;
  return {
    asked:
      asked !== undefined && (due === undefined || Math.abs(asked - due) >= APART_HOURS) ? asked : undefined,
    due,
    last: due !== undefined && later >= APART_HOURS ? Math.min(24, due + later) : undefined,
  };
}
