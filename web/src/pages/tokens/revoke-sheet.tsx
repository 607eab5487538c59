// Revoking a token ends its sessions at once and for good.
import { revokeToken, type Token } from '../../api/access.ts';
import { useTexts } from '../../i18n/text.ts';
import { FormSheet } from '../../parts/act/form-sheet.tsx';

export function RevokeSheet({ token, onClose }: { readonly token: Token; readonly onClose: () => void }) {
  const text = useTexts();
  return (
    <FormSheet
      title={text('tokens.revokeTitle', { name: token.name })}
      button={text('tokens.revoke')}
      isDangerous
      make={() => revokeToken(token.id)}
      came={() => text('tokens.revokedNow')}
      onClose={onClose}
    >
      <p>{text('tokens.revokeMeans')}</p>
    </FormSheet>
  );
}
