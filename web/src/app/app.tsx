// What stands around every page: words, looks, answers of the API, the clock, and the routes.
import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { IntlProvider } from 'react-intl';
import type { Messages } from '../i18n/languages.ts';
import { answers } from './answers.ts';
import { ClockProvider } from './clock-provider.tsx';
import { router } from './router.tsx';
import { cssVariablesResolver, theme } from './theme.ts';

export interface AppProps {
  readonly locale: string;
  readonly messages: Messages;
  readonly nonce: string;
}

export function App({ locale, messages, nonce }: AppProps) {
  return (
    <IntlProvider locale={locale} messages={messages} defaultLocale="en-GB">
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        getStyleNonce={() => nonce}
      >
        <QueryClientProvider client={answers}>
          <ClockProvider>
            <RouterProvider router={router} />
          </ClockProvider>
        </QueryClientProvider>
      </MantineProvider>
    </IntlProvider>
  );
}
