// The filters of a list in one line, each a part of the address: what one sees can be sent to somebody.
import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useEffect, useState, type ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import styles from './filter-bar.module.css';

export function FilterBar({
  isFiltered,
  clear,
  children,
}: {
  readonly isFiltered: boolean;
  readonly clear: () => void;
  readonly children: ReactNode;
}) {
  const text = useTexts();
  return (
    <div className={styles.bar} role="search">
      {children}
      {isFiltered && (
        <Button variant="subtle" onClick={clear}>
          {text('filter.clear')}
        </Button>
      )}
    </div>
  );
}

export interface ChoiceProps {
  readonly label: string;
  readonly value: string | undefined;
  /** The first stands for none chosen. */
  readonly choices: readonly { readonly value: string; readonly label: string }[];
  readonly choose: (value: string | undefined) => void;
}

export function FilterChoice({ label, value, choices, choose }: ChoiceProps) {
  return (
    <NativeSelect
      className={styles.choice ?? ''}
      aria-label={label}
      value={value ?? ''}
      data={choices.map((choice) => ({ ...choice }))}
      onChange={(event) => choose(event.currentTarget.value || undefined)}
    />
  );
}

/** What is typed goes into the address a moment after the last key. */
const SETTLED_MS = 300;

export interface FilterTextProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choose: (value: string | undefined) => void;
}

export function FilterText({ label, value, choose }: FilterTextProps) {
  const [typed, setTyped] = useState(value ?? '');
  const [known, setKnown] = useState(value);
  if (known !== value) {
    // The address changed by itself: back, or "clear".
    setKnown(value);
    setTyped(value ?? '');
  }
  useEffect(() => {
    if (typed.trim() === (value ?? '')) return undefined;
    const timer = setTimeout(() => choose(typed.trim() || undefined), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [typed, value, choose]);
  return (
    <TextInput
      className={styles.text ?? ''}
      type="search"
      aria-label={label}
      placeholder={label}
      data-filter
      value={typed}
      maxLength={128}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
}
