import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, it } from 'vitest';

import type { ChangeSet, DraftFlow, DraftFlows } from '@/contracts/api';
import { changeSet } from '@/testing/change-sets';
import { draftFlow, draftFlows } from '@/testing/draft-flows';
import { render } from '@/testing/render';
import { problem, testServer, type Asked } from '@/testing/server';

import { Review } from './review';

const server = testServer();
const at = '/api/v1/estates/demo-fr-de/change-sets/3';

const none = { errors: 0, warnings: 0, infos: 0 };
const findings = { number: 3, sequence: 7, new: none, gone: none, still: none, suppressed: 0, page: 1, pages: 1 };

const first = draftFlow();
const second = draftFlow({
  key: 'second',
  question: { ...first.question, to_service: '//exemple.fr/Expédition/Suivi' },
  is_observed: true,
});
const moved = draftFlow({
  key: 'moved',
  change: 'moved',
  before_route: 'Vers Berlin',
  after_route: 'Par LYON',
  after: 'delivered',
});

/** A server that keeps what is ticked, as the real one does. */
function keepTicks(rows: DraftFlow[], more: Partial<DraftFlows> = {}) {
  const kept = new Map(rows.map((row) => [row.key, row]));
  server.on('GET', `${at}/findings`, () => ({ body: { ...findings, findings: [] } }));
  server.on('GET', `${at}/flows`, ({ query }: Asked) => {
    const all = [...kept.values()];
    const answer = draftFlows(all, more);
    const rows = all.filter(({ change }) => change === query.get('change'));
    return { body: { ...answer, rows: query.has('unticked') ? rows.filter((row) => !row.is_intended) : rows } };
  });
  server.on('POST', `${at}/flows/intended`, ({ body }: Asked) => {
    const { keys, intended } = body as { keys: string[]; intended: boolean };
    for (const key of keys) {
      const row = kept.get(key);
      if (row !== undefined) {
        kept.set(key, {
          ...row,
          is_intended: intended,
          intended_by: intended ? { author: 'tester', intended_at: '2026-11-25T06:00:00Z' } : null,
        });
      }
    }
    return { body: { number: 3, sequence: 8 } };
  });
}

function show(more: Partial<ChangeSet> = {}, role: 'editor' | 'viewer' = 'editor') {
  render(<Review estate="demo-fr-de" changeSet={changeSet(more)} />, { role, address: '/?tab=flows' });
  return userEvent.setup();
}

const apply = () => screen.getByRole('button', { name: /^Apply/ });

describe('the flows that a draft changes', () => {
  it('bar it from being applied until each that is lost is ticked, and say who ticked', async () => {
    keepTicks([first, second, moved]);
    const user = show();
    expect(await screen.findByRole('tab', { name: 'Flow impact (2 lost, 1 moved, 0 gained)' })).toBeInTheDocument();
    const reason = '2 flows are lost and not ticked as intended.';
    expect(apply()).toHaveAttribute('aria-description', expect.stringContaining(reason));

    const table = screen.getByRole('table', { name: 'Flows that the draft loses' });
    const row = within(table).getByRole('row', { name: /Commandes\/Réception/ });
    expect(row).toHaveTextContent('Delivered');
    expect(row).toHaveTextContent('No route9750');
    expect(row).toHaveTextContent('Not seen');
    await user.click(within(row).getByRole('checkbox'));
    expect(await within(table).findByText('by tester')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: '1 lost flow' })).toBeInTheDocument();

    await user.click(screen.getByRole('checkbox', { name: /Expédition/ }));
    await waitFor(() => {
      expect(apply()).not.toHaveAttribute('aria-disabled');
    });
    expect(screen.getByText('All 2 lost flows are ticked as intended')).toBeInTheDocument();
  });

  it('are shown without those that are ticked when that is asked for, and the address says so', async () => {
    keepTicks([first, second]);
    const user = show();
    await user.click(await screen.findByRole('switch', { name: 'Not ticked yet (2)' }));
    await user.click(await screen.findByRole('checkbox', { name: /Réception/ }));
    expect(await screen.findByRole('switch', { name: 'Not ticked yet (1)' })).toBeChecked();
    await waitFor(() => {
      expect(screen.queryByRole('checkbox', { name: /Réception/ })).not.toBeInTheDocument();
    });
    expect(screen.getByTestId('address')).toHaveTextContent('unticked=1');
    await user.click(screen.getByRole('checkbox', { name: /Expédition/ }));
    expect(await screen.findByText('Every lost flow is ticked as intended.')).toBeInTheDocument();
    await user.click(screen.getByRole('switch', { name: 'Not ticked yet (0)' }));
    expect(await screen.findAllByRole('checkbox', { checked: true })).toHaveLength(2);
  });

  it('are ticked by route in one step, and the tick of one is taken back', async () => {
    keepTicks([first, second]);
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Tick all 2 of this route' }));
    expect(await screen.findByText('2 flows are ticked as intended.')).toBeInTheDocument();
    await user.click(screen.getByRole('checkbox', { name: /Réception/ }));
    await waitFor(() => {
      expect(apply()).toHaveAttribute('aria-description', expect.stringContaining('1 flow is lost'));
    });
  });

  it('are ticked many at once over all pages, with their number said before', async () => {
    const pages = [[first], [second, draftFlow({ key: 'third', before_route: 'Autre' })]];
    keepTicks(pages.flat());
    server.on('GET', `${at}/flows`, ({ query }: Asked) => {
      const page = Number(query.get('page'));
      return { body: draftFlows(pages[page - 1], { page, pages: 2, lost: 3, unticked: 3 }) };
    });
    const user = show();
    await user.click(await screen.findByRole('button', { name: 'Tick many …' }));
    const dialog = await screen.findByRole('dialog');
    await user.click(await within(dialog).findByRole('radio', { name: /^2 flows of route Vers la réception/ }));
    await user.click(within(dialog).getByRole('button', { name: 'Tick 2 flows' }));
    await waitFor(() => {
      expect(server.asked.find(({ path }) => path.endsWith('/intended'))?.body).toEqual({
        keys: [first.key, 'second'],
        intended: true,
      });
    });
  });

  it('are shown when the server refuses to apply because of one that came meanwhile', async () => {
    keepTicks([]);
    server.on('POST', `${at}/apply`, () => {
      keepTicks([first]);
      return problem(409, 'losses-unticked', '1 flow is lost and not ticked as intended.');
    });
    const user = show();
    await user.click(await screen.findByRole('tab', { name: /Objects/ }));
    await waitFor(() => {
      expect(apply()).not.toHaveAttribute('aria-disabled');
    });
    await user.click(apply());
    expect(await screen.findByRole('table', { name: 'Flows that the draft loses' })).toBeInTheDocument();
    expect(screen.getByTestId('address')).toHaveTextContent('tab=flows');
  });

  it('say how many were checked when none changes, and whose traffic is not known', async () => {
    keepTicks([], { unread: ['LYON', 'HUB'] });
    show();
    expect(await screen.findByText('40 flows were checked, and the draft changes none.')).toBeInTheDocument();
    expect(screen.getByText(/The traffic of LYON, HUB could not be read/)).toBeInTheDocument();
    expect(apply()).not.toHaveAttribute('aria-disabled');
  });

  it('are marked as older while the draft is ahead of them', async () => {
    keepTicks([first]);
    show({ sequence: 8 });
    expect(await screen.findByText(/The draft has moved on/)).toBeInTheDocument();
    expect(screen.getByRole('table')).toHaveAttribute('data-stale', 'true');
    expect(screen.getByRole('checkbox')).toBeDisabled();
  });

  it('lead to the what-if page with the draft', async () => {
    keepTicks([moved]);
    const user = show();
    await user.click(await screen.findByRole('radio', { name: 'Moved (1)' }));
    const link = await screen.findByRole('link', { name: /^Ask what-if/ });
    const { pathname, searchParams } = new URL(link.getAttribute('href') ?? '', 'http://localhost');
    expect(pathname).toBe('/estates/demo-fr-de/whatif');
    expect(searchParams.get('draft')).toBe('3');
    expect(searchParams.get('to')).toBe('//exemple.fr/Commandes/Réception');
  });

  it('are ticked by nobody who may only look', async () => {
    keepTicks([first]);
    show({}, 'viewer');
    expect(await screen.findByRole('checkbox')).toBeDisabled();
  });
});
