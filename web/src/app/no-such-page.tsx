// An address that is no page's: the way back, and nothing else.
import { Link } from '@tanstack/react-router';
import { useTexts } from '../i18n/text.ts';
import { Empty } from '../parts/panel/panel.tsx';

export function NoSuchPage() {
  const text = useTexts();
  return (
    <>
      <h1>{text('noPage.title')}</h1>
      <Empty hint={<Link to="/">{text('page.overview')}</Link>}>{text('noPage.text')}</Empty>
    </>
  );
}
