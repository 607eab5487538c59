// The two sums of a report: its sends by what became of them, and its devices as the push service counted them. The server says whether they
// add up. Where a figure of sends leads is the page's to say.
import type { ReactNode } from 'react';
import type { SendState } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import { rateText } from '../figure/figure-text.ts';
import { Sum, type SumTerm } from '../figure/sum.tsx';
import { SEND_TERM_COLOURS, statesOfReportTerm } from './report-terms.ts';

/** As much of the totals of a report as its sums show. */
export interface SummedTotals {
  readonly sends: Readonly<Record<string, number>>;
  readonly devices: Readonly<Record<string, number>>;
  readonly sentRate: { readonly numerator: number; readonly denominator: number };
}

export interface ReportSumsProps {
  readonly totals: SummedTotals;
  readonly balanced: boolean;
  readonly final: boolean;
  readonly toSends: (states: readonly SendState[], figure: ReactNode) => ReactNode;
}

export function ReportSums({ totals, balanced, final, toSends }: ReportSumsProps) {
  const text = useTexts();
  const { planned = 0, ...sends } = totals.sends;
  const { target = 0, ...devices } = totals.devices;
  const { numerator, denominator } = totals.sentRate;
  return (
    <div>
      <Sum
        name={text('sum.sends')}
        whole={{ word: text('sum.planned'), value: planned }}
        terms={Object.entries(sends).map(([term, value]): SumTerm => {
          const states = statesOfReportTerm(term);
          return {
            ...termOf(term, value, text.word(`term.${term}`, term)),
            ...(states !== undefined && value > 0 && { link: (figure) => toSends(states, figure) }),
          };
        })}
        balanced={balanced}
        final={final}
      />
      <Sum
        name={text('sum.devices')}
        whole={{ word: text('term.target'), value: target }}
        terms={Object.entries(devices).map(([term, value]): SumTerm => ({
          ...termOf(term, value, text.word(`term.devices.${term}`, term)),
          derived: term === 'failed' && value > 0,
        }))}
      >
        <span>
          {rateText(numerator, denominator)} {text('sum.rate', { numerator, denominator })}
        </span>
      </Sum>
    </div>
  );
}

function termOf(term: string, value: number, word: string): SumTerm {
  const colour = SEND_TERM_COLOURS[term];
  return {
    word,
    value,
    always: term === 'sent' || term === 'failed',
    ...(colour !== undefined && { colour }),
  };
}
