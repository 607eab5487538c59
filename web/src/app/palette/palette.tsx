// ⌘K: whatever one has in hand is found, an id or a part of a name; else the pages. Arrows choose, Enter opens.
import { Modal, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useId, useState, type KeyboardEvent } from 'react';
import { searchQuery } from '../../api/search.ts';
import { useTexts } from '../../i18n/text.ts';
import { Failed } from '../../parts/panel/failed.tsx';
import { SECTIONS } from '../sections.ts';
import { useMay } from '../session-context.ts';
import { wayOfFound, type Way } from './way-of-found.ts';
import styles from './palette.module.css';

interface Choice {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly hint: string;
  readonly way: Way;
}

export function Palette({ close }: { readonly close: () => void }) {
  const text = useTexts();
  return (
    <Modal
      opened
      onClose={close}
      title={text('palette.title')}
      size={640}
      yOffset="12vh"
      closeButtonProps={{ 'aria-label': text('sheet.close') }}
    >
      <Choosing close={close} />
    </Modal>
  );
}

function Choosing({ close }: { readonly close: () => void }) {
  const text = useTexts();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const list = useId();
  const { choices, error, isIncomplete } = useChoices(useDeferredValue(typed.trim()));
  const chosen = Math.min(at, choices.length - 1);
  const open = (choice: Choice | undefined): void => {
    if (choice === undefined) return;
    close();
    void navigate(choice.way);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key === 'Enter') open(choices[chosen]);
    else if (event.key === 'ArrowDown') setAt(Math.min(choices.length - 1, chosen + 1));
    else if (event.key === 'ArrowUp') setAt(Math.max(0, chosen - 1));
    else return;
    event.preventDefault();
  };
  return (
    <div className={styles.palette}>
      <TextInput
        data-autofocus
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={choices[chosen] === undefined ? undefined : `${list}-${chosen}`}
        aria-label={text('palette.label')}
        placeholder={text('palette.label')}
        value={typed}
        maxLength={200}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      {error !== null && <Failed error={error} />}
      <div id={list} role="listbox" aria-label={text('palette.title')} className={styles.choices}>
        {choices.map((choice, index) => (
          // Keys act in the field, which keeps the focus.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={choice.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === chosen}
            className={styles.choice}
            onClick={() => open(choice)}
          >
            <span className={styles.kind}>{choice.kind}</span>
            <span className={styles.name}>{choice.name}</span>
            <span className={styles.hint}>{choice.hint}</span>
          </div>
        ))}
      </div>
      {choices.length === 0 && error === null && <p className={styles.hint}>{text('palette.nothing')}</p>}
      {isIncomplete && <p className={styles.hint}>{text('palette.incomplete')}</p>}
    </div>
  );
}

/** Found things first, then the pages whose name has the text. */
function useChoices(q: string) {
  const text = useTexts();
  const may = useMay();
  const query = useQuery({ ...searchQuery(q), placeholderData: keepPreviousData });
  const found = (q === '' ? [] : (query.data?.items ?? [])).flatMap((item): readonly Choice[] => {
    const way = wayOfFound(item);
    if (way === undefined) return [];
    const kind = text.word(`found.${item.kind}`, item.kind);
    const hint = [item.serviceId, item.exact ? item.by : null].filter((part) => part !== null).join(' · ');
    return [{ key: `${item.kind} ${item.id}`, kind, name: item.name ?? item.id, hint, way }];
  });
  const pages = SECTIONS.filter(
    ({ needs, word }) =>
      may(needs) && text(word).toLocaleLowerCase(text.locale).includes(q.toLocaleLowerCase(text.locale)),
  ).map(({ to, word, key }): Choice => ({
    key: to,
    kind: text('found.page'),
    name: text(word),
    hint: `g ${key}`,
    way: { to, search: {} },
  }));
  return {
    choices: [...found, ...pages],
    error: q === '' ? null : query.error,
    isIncomplete: q !== '' && query.data?.complete === false,
  };
}
