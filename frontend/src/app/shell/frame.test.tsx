import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Route, Routes } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Estate } from '@/contracts/api';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import StartPage from '../pages/start-page';
import { EstatePages } from './estate-pages';
import { Frame } from './frame';

const server = testServer();

/** A connection that nobody answers; the test decides when it breaks. */
class SilentSocket {
  static last: SilentSocket | null = null;
  onopen: (() => void) | null = null;
  onclose: (() => void) | null = null;
  onmessage: (() => void) | null = null;
  constructor() {
    SilentSocket.last = this;
  }
  send(): void {
    return undefined;
  }
  close(): void {
    return undefined;
  }
}

beforeEach(() => {
  vi.stubGlobal('WebSocket', SilentSocket);
});

afterEach(() => {
  vi.unstubAllGlobals();
});

async function open(estate: Estate) {
  server.on('GET', '/api/v1/estates', () => ({ body: [{ name: estate.name, revision: estate.revision }] }));
  server.on('GET', `/api/v1/estates/${estate.name}`, () => ({ body: estate }));
  render(
    <Routes>
      <Route element={<Frame />}>
        <Route path="/estates/:estate" element={<EstatePages />}>
          <Route index element={<p>The page</p>} />
        </Route>
      </Route>
    </Routes>,
    { estate, address: `/estates/${estate.name}` },
  );
  await screen.findByText(`Live · revision ${estate.revision}`);
}

describe('the frame of an estate', () => {
  it('shows its page', async () => {
    await open(demoEstate());
    expect(screen.getByText('The page')).toBeInTheDocument();
  });

  it('says in a sentence that the server is away, and calls nothing live meanwhile', async () => {
    const estate = demoEstate();
    await open(estate);
    act(() => {
      SilentSocket.last?.onclose?.();
    });
    expect(
      screen.getByText(`The server does not answer. This is revision ${estate.revision} as it was last seen.`),
    ).toBeInTheDocument();
    expect(screen.getByRole('status', { name: 'Connection: Offline' })).toBeInTheDocument();
    expect(screen.queryByText(/^Live ·/)).not.toBeInTheDocument();
  });

  it('offers the import where there is no instance yet', async () => {
    await open({ ...demoEstate(), instances: [] });
    expect(screen.getByText(/has no instance yet/)).toBeInTheDocument();
    expect(screen.getAllByRole('link', { name: 'Import T-SQL' })[0]).toHaveAttribute('href', '/import');
    expect(screen.queryByText('The page')).not.toBeInTheDocument();
  });

  it('stays when the first page leads on to the estate, with the menu that is open in it', async () => {
    const estate = demoEstate();
    let answer: () => void = () => undefined;
    server.on('GET', '/api/v1/estates', async () => {
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      return { body: [{ name: estate.name, revision: estate.revision, instances: [] }] };
    });
    server.on('GET', `/api/v1/estates/${estate.name}`, () => ({ body: estate }));
    render(
      <Routes>
        <Route element={<Frame />}>
          <Route path="/" element={<StartPage />} />
          <Route path="/estates/:estate" element={<EstatePages />}>
            <Route path="topology" element={<p>The page</p>} />
          </Route>
        </Route>
      </Routes>,
      { estate },
    );
    await userEvent.setup().click(screen.getByRole('button', { name: 'tester' }));
    const item = await screen.findByRole('menuitem', { name: 'Log out' });
    act(() => {
      answer();
    });
    await screen.findByText('The page');
    expect(item).toBeInTheDocument();
  });
});
