import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { useEffect, type ReactNode } from 'react';

import { FocusHints } from '@/components/ui/focus-hints';
import { i18n } from '@/i18n';
import { queryClient } from '@/lib/query-client';
import { cssVariablesResolver } from '@/theme/css-variables';
import { mantineTheme } from '@/theme/mantine-theme';

/**
 * What every component may count on: the theme, the query cache, notifications. In another language each component
 * words itself again and keeps what was typed into it; what the server has worded is asked for again.
 */
export function Provider({ children }: { children: ReactNode }) {
  useEffect(() => {
    const askAgain = () => void queryClient.invalidateQueries();
    i18n.on('languageChanged', askAgain);
    return () => {
      i18n.off('languageChanged', askAgain);
    };
  }, []);
  return (
    <MantineProvider theme={mantineTheme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-center" autoClose={8000} limit={4} containerWidth={480} />
        <FocusHints />
        {children}
      </QueryClientProvider>
    </MantineProvider>
  );
}
