// Above a list: how many rows came since, to be shown when one wishes.
import { Button } from '@mantine/core';
import { useTexts } from '../../i18n/text.ts';

export function WaitingRows({ count, show }: { readonly count: number; readonly show: () => void }) {
  const text = useTexts();
  if (count === 0) return null;
  return (
    <Button size="xs" variant="subtle" onClick={show}>
      {text('list.new', { count })}
    </Button>
  );
}
