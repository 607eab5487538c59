// The field for a token. The token goes to the server once, which answers with a cookie that no script can read; it is kept nowhere here.
import { Button, PasswordInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { asProblem, type ApiProblem } from '../../api/api-error.ts';
import { sessionQuery, signIn } from '../../api/session.ts';
import { useTexts, type Texts } from '../../i18n/text.ts';
import styles from './sign-in.module.css';

export function SignInForm() {
  const text = useTexts();
  const client = useQueryClient();
  const [token, setToken] = useState('');
  const [waits, setWaits] = useState(0);
  const tried = useMutation({
    mutationFn: signIn,
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await client.invalidateQueries();
    },
    onError: (error) => setWaits(asProblem(error).retryAfterSeconds ?? 0),
  });
  useEffect(() => {
    if (waits <= 0) return undefined;
    const timer = setTimeout(() => setWaits(waits - 1), 1_000);
    return () => clearTimeout(timer);
  }, [waits]);
  const problem = tried.error === null ? undefined : asProblem(tried.error);
  const error =
    problem === undefined || (problem.status === 429 && waits === 0)
      ? undefined
      : wordsOf(problem, waits, text);
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        tried.mutate(token.trim());
      }}
    >
      <PasswordInput
        label={text('signIn.token')}
        value={token}
        onChange={(event) => setToken(event.currentTarget.value)}
        error={error}
        autoFocus
        autoComplete="current-password"
        name="token"
        spellCheck={false}
        visibilityToggleButtonProps={{ 'aria-label': text('signIn.show') }}
      />
      <Button
        type="submit"
        variant="filled"
        fullWidth
        disabled={token.trim() === '' || waits > 0}
        loading={tried.isPending}
      >
        {text('signIn.button')}
      </Button>
    </form>
  );
}

/** Wrong, expired and revoked read alike. */
function wordsOf({ status, detail }: ApiProblem, waits: number, text: Texts): string {
  if (status === 401 || (status === 400 && detail === '')) return text('signIn.invalid');
  if (status === 429) return text('signIn.tooMany', { seconds: waits });
  if (status === 0) return text('failed.noAnswer');
  return detail;
}
