import { act, screen } from '@testing-library/react';
import { Route, Routes } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import type { Estate } from '@/contracts/api';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { testServer } from '@/testing/server';

import { EstateFrame } from './estate-frame';

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
      <Route path="/estates/:estate" element={<EstateFrame />}>
        <Route index element={<p>The page</p>} />
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
    expect(screen.getByText(`The server does not answer. This is revision ${estate.revision} as it was last seen.`)).toBeInTheDocument();
    expect(screen.getByRole('status', { name: 'Connection: Offline' })).toBeInTheDocument();
    expect(screen.queryByText(/^Live ·/)).not.toBeInTheDocument();
  });

  it('offers the import where there is no instance yet', async () => {
    await open({ ...demoEstate(), instances: [] });
    expect(screen.getByText(/has no instance yet/)).toBeInTheDocument();
    expect(screen.getAllByRole('link', { name: 'Import T-SQL' })[0]).toHaveAttribute('href', '/import');
    expect(screen.queryByText('The page')).not.toBeInTheDocument();
  });
});
