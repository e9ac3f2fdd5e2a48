import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import type { ReactNode } from 'react';

import { queryClient } from '@/lib/query-client';
import { cssVariablesResolver } from '@/theme/css-variables';
import { mantineTheme } from '@/theme/mantine-theme';

/** What every component may count on: the theme, the query cache, notifications. */
export function Provider({ children }: { children: ReactNode }) {
  return (
    <MantineProvider theme={mantineTheme} cssVariablesResolver={cssVariablesResolver} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <Notifications position="bottom-center" autoClose={8000} limit={4} containerWidth={480} />
        {children}
      </QueryClientProvider>
    </MantineProvider>
  );
}
