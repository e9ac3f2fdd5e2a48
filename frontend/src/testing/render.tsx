import { MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { render as renderBare } from '@testing-library/react';
import type { ReactNode } from 'react';
import { createMemoryRouter, MemoryRouter, RouterProvider, useLocation } from 'react-router';

import type { Estate, Person, Right } from '@/contracts/api';
import { EstateContext } from '@/hooks/use-estate-page';
import { PersonContext } from '@/hooks/use-rights';
import { useFollowAddress } from '@/hooks/use-view-state';
import { usePendingStore } from '@/lib/pending-store';
import { queryClient } from '@/lib/query-client';
import { mantineTheme } from '@/theme/mantine-theme';

import { demoEstate } from './demo-estate';

const rights: Record<'viewer' | 'operator' | 'editor' | 'admin', Right[]> = {
  viewer: ['view'],
  operator: ['view', 'operate'],
  editor: ['view', 'operate', 'edit'],
  admin: ['view', 'read-payloads', 'operate', 'edit', 'train', 'administer'],
};

type Options = {
  estate?: Estate;
  role?: keyof typeof rights;
  address?: string;
  /** With a router as the product has it, which can hold somebody back; what is rendered is one element for good. */
  isRouted?: boolean;
};

/** Renders within everything a page provides. The address bar is readable as the element with test id "address". */
export function render(
  element: ReactNode,
  { estate = demoEstate(), role = 'editor', address = '/', isRouted = false }: Options = {},
) {
  queryClient.clear();
  notifications.clean();
  usePendingStore.setState({ pending: {} });
  const person: Person = {
    username: 'tester',
    role,
    rights: rights[role],
    preferences: { language: null, time_zone: 'UTC', theme: 'auto', hidden_layers: [] },
  };
  const page = (
    <>
      <PersonContext value={person}>
        <EstateContext value={estate}>{element}</EstateContext>
      </PersonContext>
      <Address />
    </>
  );
  return renderBare(
    <MantineProvider theme={mantineTheme} env="test">
      <QueryClientProvider client={queryClient}>
        <Notifications />
        {isRouted ? (
          <RouterProvider router={createMemoryRouter([{ path: '*', element: page }], { initialEntries: [address] })} />
        ) : (
          <MemoryRouter initialEntries={[address]}>{page}</MemoryRouter>
        )}
      </QueryClientProvider>
    </MantineProvider>,
  );
}

function Address() {
  useFollowAddress();
  const { pathname, search } = useLocation();
  return <output data-testid="address">{pathname + search}</output>;
}
