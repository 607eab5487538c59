// What somebody may try once the demo has shown its report: lines to paste, whose addresses and tokens come from the file that
// stands while it is up, so that no secret is printed.

/** `file`: endpoints.json, from where the reader stands. `once`: the demo ends now. */
export function whatNext(file: string, once: boolean): string {
  const path = file.startsWith('/') ? file : `./${file}`;
  return `What to try next${once ? ', while `npm run demo` (without --once) is up' : ''}:

  endpoint() { node -p "require('${path}').$1"; }
  get() { curl -s -H "Authorization: Bearer $(endpoint tokens.operator)" "$(endpoint schedulerUrl)$@"; }

  the campaigns, each with its sends by state
    get '/v1/campaigns'
  what failed, in groups by zone, each with the query that finds its sends
    get '/v1/failures?groupBy=code,zone'
  a campaign's report, zone by zone, and as CSV for a spreadsheet
    get '/v1/campaigns?limit=1' | node -pe 'JSON.parse(fs.readFileSync(0)).items[0].id'
    get '/v1/reports/campaigns/<id>'
    get '/v1/reports/campaigns/<id>' -H 'Accept: text/csv'
  the same with SQL
    psql "$(endpoint databaseUrl)" -c 'select zone, sum(planned) planned, sum(sends_sent) sent, sum(sends_failed) failed,
      sum(devices_sent) devices from scheduler.report_cell group by zone order by zone'`;
}
