// What failed, in words that say what to do: by whom it was refused and why, the code, the id to tell a colleague, and a way to try again.
import { Button, CopyButton } from '@mantine/core';
import { asProblem, type ApiProblem } from '../../api/api-error.ts';
import { useTexts, type Texts } from '../../i18n/text.ts';
import styles from './panel.module.css';

export interface FailedProps {
  readonly error: unknown;
  /** What was known before is still shown. */
  readonly known?: boolean;
  readonly again?: () => void;
}

export function Failed({ error, known, again }: FailedProps) {
  const text = useTexts();
  const problem = asProblem(error);
  return (
    <div className={styles.failed} role="alert">
      <p>
        <strong>✕ {headOf(problem, text)}</strong>{' '}
        {problem.detail !== '' && <span>{sentence(problem.detail)} </span>}
        <code>{problem.code}</code>
      </p>
      {problem.problems.length > 0 && (
        <ul>
          {problem.problems.map(({ pointer, text: words }) => (
            <li key={`${pointer} ${words}`}>
              <code>{pointer}</code> {words}
            </li>
          ))}
        </ul>
      )}
      <div className={styles.failedActs}>
        {again !== undefined && (
          <Button size="xs" onClick={again}>
            {text('failed.again')}
          </Button>
        )}
        {problem.requestId !== undefined && <CopyId id={problem.requestId} />}
        {known === true && <span className={styles.asOf}>{text('failed.known')}</span>}
      </div>
    </div>
  );
}

function CopyId({ id }: { readonly id: string }) {
  const text = useTexts();
  return (
    <CopyButton value={id}>
      {({ copied, copy }) => (
        <Button size="xs" variant="subtle" onClick={copy}>
          {copied ? text('copy.done') : text('failed.copyId')}
        </Button>
      )}
    </CopyButton>
  );
}

function headOf({ status, retryAfterSeconds }: ApiProblem, text: Texts): string {
  if (status === 0) return text('failed.noAnswer');
  if (status === 401) return text('failed.signedOut');
  if (status === 403) return text('failed.forbidden');
  if (status === 404) return text('failed.notFound');
  if (status === 409) return text('failed.conflict');
  if (status === 410) return text('failed.gone');
  if (status === 429) return text('failed.tooMany', { seconds: retryAfterSeconds ?? 1 });
  return text(status >= 500 ? 'failed.server' : 'failed.refused');
}

/** The server's sentences begin small and end without a point. */
const sentence = (words: string): string =>
  `${words.charAt(0).toUpperCase()}${words.slice(1)}${/[.!?]$/.test(words) ? '' : '.'}`;
