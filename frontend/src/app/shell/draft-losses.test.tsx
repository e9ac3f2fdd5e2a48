import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';

import { changeSet } from '@/testing/change-sets';
import { draftFlow, draftFlows } from '@/testing/draft-flows';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';

import { DraftLosses } from './draft-losses';

const server = testServer();
const flows = '/api/v1/estates/demo-fr-de/change-sets/3/flows';

describe('what the draft on the map loses', () => {
  it('is told with the way to the flows', async () => {
    server.on('GET', flows, () => ({ body: draftFlows([draftFlow(), draftFlow({ key: '2', is_intended: true })]) }));
    render(<DraftLosses estate="demo-fr-de" changeSet={changeSet()} />);
    const link = await screen.findByRole('link', { name: 'Loses 2 flows' });
    expect(link).toHaveAttribute('href', '/estates/demo-fr-de/changes/3?tab=flows');
    expect(link).toHaveAttribute('aria-description', expect.stringContaining('1 is not ticked as intended'));
    expect(link).toHaveAttribute('data-stale', 'false');
  });

  it('is marked as older while the draft is ahead of it', async () => {
    server.on('GET', flows, () => ({ body: draftFlows([draftFlow()]) }));
    render(<DraftLosses estate="demo-fr-de" changeSet={changeSet({ sequence: 8 })} />);
    expect(await screen.findByRole('link', { name: 'Loses 1 flow' })).toHaveAttribute('data-stale', 'true');
  });

  it('is not told where nothing is lost, and where nobody can tell', async () => {
    server.on('GET', flows, () => ({ body: draftFlows([draftFlow({ change: 'moved' })]) }));
    const { unmount } = render(<DraftLosses estate="demo-fr-de" changeSet={changeSet()} />);
    await waitFor(() => {
      expect(server.asked).toHaveLength(1);
    });
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
    unmount();
    server.on('GET', flows, () => problem(503, 'engine-away', 'The engine is away.'));
    render(<DraftLosses estate="demo-fr-de" changeSet={changeSet()} />);
    await waitFor(() => {
      expect(server.asked).toHaveLength(2);
    });
    expect(screen.queryByRole('link')).not.toBeInTheDocument();
  });

  it('is not asked of a change set that is closed', () => {
    render(<DraftLosses estate="demo-fr-de" changeSet={changeSet({ state: 'applied' })} />);
    expect(server.asked).toHaveLength(0);
  });
});
