// The ledger: every event and every planned request accounted for, both sides of each line, and by name what does not agree.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ledgerQuery, type LedgerAnswer } from '../../api/reports.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { Sum } from '../../parts/figure/sum.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { SEND_TERM_COLOURS } from '../../parts/report/report-terms.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { ReportsFrame } from './reports-frame.tsx';
import { rangeOf } from './reports-search.ts';
import styles from './reports.module.css';

const route = getRouteApi('/reports/ledger');

const LINES = ['events', 'planned', 'tests', 'devices'] as const;

export function LedgerPage() {
  const text = useTexts();
  const search = route.useSearch();
  const { now } = useClock();
  const { service } = search;
  const ask = { ...rangeOf(search, now()), ...(service !== undefined && { serviceId: service }) };
  const query = useQuery(ledgerQuery(ask));
  return (
    <ReportsFrame view="/reports/ledger" search={search}>
      <Panel query={query} rows={5} asOf={({ asOf }) => asOf}>
        {(ledger) => (
          <div className={styles.parts}>
            <div>
              {LINES.map((line) => (
                <Line key={line} line={line} ledger={ledger} />
              ))}
            </div>
            {ledger.missing.length === 0 ? (
              <p>✓ {text('ledger.nothingMissing')}</p>
            ) : (
              <MissingTable missing={ledger.missing} />
            )}
          </div>
        )}
      </Panel>
    </ReportsFrame>
  );
}

interface LineProps {
  readonly line: (typeof LINES)[number];
  readonly ledger: LedgerAnswer;
}

function Line({ line, ledger }: LineProps) {
  const text = useTexts();
  const { left, right, balanced, gone } = ledger[line];
  return (
    <Sum
      name={text(`ledger.${line}`)}
      whole={{ word: text(`ledger.whole.${line}`), value: left }}
      terms={Object.entries(right).map(([term, value]) => ({
        word: text.word(
          `ledger.term.${term}`,
          text.word(line === 'devices' ? `term.devices.${term}` : `term.${term}`, term),
        ),
        value,
        ...(line !== 'events' &&
          SEND_TERM_COLOURS[term] !== undefined && { colour: SEND_TERM_COLOURS[term] }),
      }))}
      balanced={balanced}
    >
      {gone > 0 && <span>{text('ledger.gone', { count: wholeText(gone), n: gone })}</span>}
    </Sum>
  );
}

function MissingTable({ missing }: { readonly missing: LedgerAnswer['missing'] }) {
  const text = useTexts();
  return (
    <DataTable
      name={text('ledger.missing')}
      rows={missing}
      rowKey={({ code }) => code}
      columns={[
        {
          key: 'code',
          head: text('ledger.missing'),
          title: true,
          cell: ({ code }) => <code className={styles.row}>{code}</code>,
        },
        {
          key: 'count',
          head: text('ledger.count'),
          align: 'right',
          cell: ({ count }) => <Figure value={count} />,
        },
        {
          key: 'rows',
          head: text('ledger.rows'),
          wide: true,
          cell: ({ rows }) => (
            <div className={styles.missing}>
              {rows.map(({ row, text: words }) => (
                <span key={row}>
                  <span className={styles.row}>{row}</span> <span lang="en">{words}</span>
                </span>
              ))}
            </div>
          ),
        },
      ]}
    />
  );
}
