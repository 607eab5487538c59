// A sheet over the page, in which one thing is done.
import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';

export interface SheetProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Sheet({ title, onClose, children }: SheetProps) {
  const text = useTexts();
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      size={560}
      centered
      closeButtonProps={{ 'aria-label': text('sheet.close') }}
    >
      {children}
    </Modal>
  );
}
