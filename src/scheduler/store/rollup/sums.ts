// SQL that adds to tables of sums and makes them coarser (docs/decisions/0054).

/** A table of sums. The unique constraint on its keys is named like the table, with `_key` at the end. */
export interface Sums {
  readonly table: string;
  readonly keys: readonly string[];
  readonly added: readonly string[];
  /** Columns that keep the greatest value. */
  readonly greatest?: readonly string[];
}

/** Adds the rows of a relation that has the columns of `sums`; locks in the order of the keys. */
export function addTo(sums: Sums, rows: string): string {
  const { table, keys, added, greatest = [] } = sums;
  const by = keys.join(', ');
  return `
insert into ${table} as r (${[...keys, ...added, ...greatest].join(', ')})
select ${[by, ...added.map((name) => `sum(${name})`), ...greatest.map((name) => `max(${name})`)].join(', ')} from ${rows} c
 group by ${by} having ${added.map((name) => `sum(${name}) <> 0`).join(' or ')} order by ${by}
on conflict on constraint ${table}_key do update set ${[
    ...added.map((name) => `${name} = r.${name} + excluded.${name}`),
    ...greatest.map((name) => `${name} = greatest(r.${name}, excluded.${name})`),
  ].join(', ')}`;
}

/** Keys that sums by hour do not have. */
const OF_CAMPAIGN = ['campaign', 'day', 'occurrence', 'cell', 'handed_off'];

/** The table of the same sums over all campaigns, by hour, without tests. */
export const hourly = (sums: Sums): Sums => ({
  ...sums,
  table: `${sums.table}_hour`,
  keys: sums.keys.filter((name) => !OF_CAMPAIGN.includes(name)),
});

/** The columns of rows, with minutes cut to a unit; with `-` the rows are subtracted. */
const cut = ({ keys, added, greatest = [] }: Sums, unit: string, weight: '' | '-' = ''): string =>
  [
    ...keys.map((name) => (name === 'minute' ? `date_trunc(${unit}, minute, 'UTC') as minute` : name)),
    ...added.map((name) => `${weight}${name} as ${name}`),
    ...greatest,
  ].join(', ');

/** Adds the rows of a relation that has the columns of `sums` to hourly(sums); `-` subtracts them, except for the greatest values. */
export const addToHours = (sums: Sums, rows: string, weight: '' | '-' = ''): string =>
  addTo(
    hourly(sums),
    `(select ${cut(hourly(sums), "'hour'", weight)} from ${rows} h where h.occurrence not like 'test-%')`,
  );

/** Sums at most $3 rows of minutes before $1 up to whole hours or days ($2). */
export const coarsening = (sums: Sums): string => `
with fine as (
  delete from ${sums.table} where ctid = any(array(
    select f.ctid from ${sums.table} f where f.minute < $1 and f.minute <> date_trunc($2, f.minute, 'UTC') order by f.minute limit $3))
  returning *),
coarse as (${addTo(sums, `(select ${cut(sums, '$2')} from fine)`)})
select count(*)::int as rows from fine`;
