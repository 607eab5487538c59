// In the place of the page that was asked for, until somebody is signed in.
import { useTexts } from '../../i18n/text.ts';
import { SignInForm } from './sign-in-form.tsx';
import styles from './sign-in.module.css';

export function SignInPage() {
  const text = useTexts();
  return (
    <main className={styles.page}>
      <div className={styles.sheet}>
        <h1>Carillon</h1>
        <p className={styles.lead}>{text('signIn.lead')}</p>
        <SignInForm />
        <p className={styles.hint}>
          {text('signIn.hint')} <code>carillon tokens create</code>
        </p>
      </div>
    </main>
  );
}
