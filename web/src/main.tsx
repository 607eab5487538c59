// The page begins here: the language first, for no word is shown before it.
import './app/mantine.css.ts';
import './app/tokens.css';
import { setNonce } from 'get-nonce';
import { createRoot } from 'react-dom/client';
import { App } from './app/app.tsx';
import { chosenLanguage } from './i18n/languages.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? '';
// What locks the scrolling under a sheet writes a style element of its own.
setNonce(nonce);

const language = chosenLanguage(window.location.search);
const messages = await language.load();
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
document.documentElement.lang = language.locale;
createRoot(root).render(<App locale={language.locale} messages={messages} nonce={nonce} />);
