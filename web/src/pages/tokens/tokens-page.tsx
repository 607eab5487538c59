// Tokens: who may do what, for how long, and when each was last used. A new one is shown once.
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { tokensQuery, type Token } from '../../api/access.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { NewTokenSheet } from './new-token-sheet.tsx';
import { RevokeSheet } from './revoke-sheet.tsx';
import { useTokenColumns } from './token-columns.tsx';

export function TokensPage() {
  const text = useTexts();
  const may = useMay();
  const query = useInfiniteQuery(tokensQuery);
  const [isNew, setNew] = useState(false);
  const [revoked, setRevoked] = useState<Token>();
  const columns = useTokenColumns(setRevoked);
  return (
    <>
      <PageHead
        title={text('page.tokens')}
        acts={may('post /v1/tokens') && <Button onClick={() => setNew(true)}>{text('tokens.new')}…</Button>}
      />
      <HeldList
        name={text('page.tokens')}
        query={query}
        filter="tokens"
        columns={columns}
        rows={4}
        empty={<Empty>{text('tokens.none')}</Empty>}
      />
      {isNew && <NewTokenSheet onClose={() => setNew(false)} />}
      {revoked !== undefined && <RevokeSheet token={revoked} onClose={() => setRevoked(undefined)} />}
    </>
  );
}
