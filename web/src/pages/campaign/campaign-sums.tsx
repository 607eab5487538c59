// The two sums of a campaign: its sends by what became of them, and its devices as the push service counted them. The server says whether they
// add up.
import { Link } from '@tanstack/react-router';
import type { Report } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { rateText } from '../../parts/figure/figure-text.ts';
import { Sum, type SumTerm } from '../../parts/figure/sum.tsx';
import { SEND_TERM_COLOURS, statesOfReportTerm } from './report-terms.ts';

export function CampaignSums({ report }: { readonly report: Report }) {
  const text = useTexts();
  const { totals, campaign, balanced, final } = report;
  const { planned = 0, ...sends } = totals.sends;
  const { target = 0, ...devices } = totals.devices;
  return (
    <div>
      <Sum
        name={text('sum.sends')}
        whole={{ word: text('sum.planned'), value: planned }}
        terms={Object.entries(sends).map(([term, value]): SumTerm => {
          const states = statesOfReportTerm(term);
          const key = `term.${term}`;
          return {
            word: text.has(key) ? text(key) : term,
            value,
            always: term === 'sent' || term === 'failed',
            ...(SEND_TERM_COLOURS[term] !== undefined && { colour: SEND_TERM_COLOURS[term] }),
            ...(states !== undefined &&
              value > 0 && {
                link: (figure) => (
                  <Link
                    to="/campaigns/$id"
                    params={{ id: campaign.id }}
                    search={{ tab: 'sends', state: states.join(',') }}
                  >
                    {figure}
                  </Link>
                ),
              }),
          };
        })}
        balanced={balanced}
        final={final}
      />
      <Sum
        name={text('sum.devices')}
        whole={{ word: text('term.target'), value: target }}
        terms={Object.entries(devices).map(([term, value]): SumTerm => {
          const key = `term.devices.${term}`;
          return {
            word: text.has(key) ? text(key) : term,
            value,
            always: term === 'sent' || term === 'failed',
            derived: term === 'failed' && value > 0,
            ...(SEND_TERM_COLOURS[term] !== undefined && { colour: SEND_TERM_COLOURS[term] }),
          };
        })}
      >
        <span>
          {rateText(totals.sentRate.numerator, totals.sentRate.denominator)}{' '}
          {text('sum.rate', {
            numerator: totals.sentRate.numerator,
            denominator: totals.sentRate.denominator,
          })}
        </span>
      </Sum>
    </div>
  );
}
