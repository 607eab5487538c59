// What became of zones that were put into the directory.
import type { PutZones } from '../../api/recipients.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { InvalidZones } from './invalid-zones.tsx';

export function ZonesAnswer({ answer }: { readonly answer: PutZones }) {
  const text = useTexts();
  const { rows, written, deleted, older, invalidZones } = answer;
  return (
    <>
      <p>
        {text('zones.came', {
          rows: wholeText(rows),
          set: wholeText(written - deleted),
          deleted: wholeText(deleted),
        })}
      </p>
      {older > 0 && <p>{text('zones.older', { older: wholeText(older) })}</p>}
      {invalidZones.length > 0 && (
        <div>
          <p>{text('zones.invalid')}</p>
          <InvalidZones zones={invalidZones} />
        </div>
      )}
    </>
  );
}
