// The decisions about a cell as sentences, in the order in which they were taken: asked, clock change, passed, night, quiet hours, jitter, pace,
// deadline. What had no effect is not said; a cell with nothing to say is "as asked". Pure but for the words.
import type { PlanCell } from '../../api/campaigns.ts';
import type { Texts } from '../../i18n/text.ts';
import { lengthText } from '../../parts/time/length-text.ts';

type Judged = Pick<PlanCell, 'verdicts' | 'skipped' | 'rule'>;

export function cellReasons({ verdicts, skipped, rule }: Judged, text: Texts): readonly string[] {
  const { dst, passedZone, night, quietHours, jitterMs, paceMs, expired, fallback } = verdicts;
  const said: string[] = [];
  const say = (key: string): void => {
    if (text.has(key)) said.push(text(key));
  };
  if (skipped !== null) say(`code.${skipped}`);
  else {
    say(`verdict.dst.${dst}`);
    say(`verdict.passed.${passedZone.kind}`);
    say(`verdict.night.${night.kind}`);
    say(`verdict.quiet.${quietHours.kind}`);
    if (jitterMs > 0) said.push(text('verdict.jitter', { length: lengthText(jitterMs, text) }));
    if (paceMs > 0) said.push(text('verdict.pace', { length: lengthText(paceMs, text) }));
    if (expired !== undefined)
      said.push(text('verdict.expired', { length: lengthText(expired.lateMs, text) }));
  }
  if (fallback !== undefined) say(`verdict.fallback.${fallback}`);
  if (said.length === 0) said.push(text('verdict.asAsked'));
  if (skipped === null && rule !== null && rule !== 'RESERVABLE') say(`code.${rule}`);
  return said;
}
