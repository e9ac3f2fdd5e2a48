import { useQuery } from '@tanstack/react-query';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import type { ReactNode } from 'react';
import { describe, expect, it } from 'vitest';

import type { ChangeSet, DraftFindings } from '@/contracts/api';
import { changeSetQuery } from '@/lib/api/change-set-read';
import { changedObject, changeSet } from '@/testing/change-sets';
import { draftFlows } from '@/testing/draft-flows';
import { finding } from '@/testing/findings';
import { render } from '@/testing/render';
import { problem, testServer } from '@/testing/server';

import { Review } from './review';

const server = testServer();
const at = '/api/v1/estates/demo-fr-de/change-sets/3';

const none = { errors: 0, warnings: 0, infos: 0 };

function found(more: Partial<DraftFindings> = {}): DraftFindings {
  return {
    number: 3,
    sequence: 7,
    new: none,
    gone: none,
    still: none,
    suppressed: 0,
    page: 1,
    pages: 1,
    findings: [],
    ...more,
  };
}

function show(more: Partial<ChangeSet> = {}, role: 'editor' | 'viewer' = 'editor', compared = found()) {
  return open(<Review estate="demo-fr-de" changeSet={changeSet(more)} />, role, compared);
}

function open(review: ReactNode, role: 'editor' | 'viewer' = 'editor', compared = found()) {
  server.on('GET', `${at}/findings`, () => ({ body: compared }));
  server.on('GET', `${at}/flows`, () => ({ body: draftFlows() }));
  render(review, { role });
  return userEvent.setup();
}

/** The review of the draft as the server has it now. */
function CurrentReview() {
  const { data } = useQuery(changeSetQuery('demo-fr-de', 3));
  return data && <Review estate="demo-fr-de" changeSet={data} />;
}

const apply = () => screen.getByRole('button', { name: /^Apply/ });

/** The flows are checked first. */
async function untilItCanBeApplied() {
  await waitFor(() => {
    expect(apply()).not.toHaveAttribute('aria-disabled');
  });
}

describe('the review of a draft', () => {
  it('shows each object with what is live and what is to be', () => {
    show();
    const row = screen.getByRole('row', { name: /Address/ });
    expect(within(row).getByText('TCP://lyon:4022')).toBeInTheDocument();
    expect(within(row).getByText('TCP://hub:4022')).toBeInTheDocument();
    expect(screen.getByText('PARIS · Ventes')).toBeInTheDocument();
  });

  it('applies what was looked at, and says which revision it has become', async () => {
    server.on('POST', `${at}/apply`, () => ({ body: { number: 3, revision: 5 } }));
    const user = show();
    await untilItCanBeApplied();
    await user.click(apply());
    expect(await screen.findByText('Draft #3 is live as revision 5.')).toBeInTheDocument();
    expect(server.asked.find((asked) => asked.path === `${at}/apply`)?.headers.get('If-Match')).toBe('"3-7"');
  });

  it('applies what an edit right before made of the draft', async () => {
    let draft = changeSet({ title: '' });
    const button = new EventTarget();
    const pressed = new Promise((resolve) => {
      button.addEventListener('press', resolve);
    });
    server.on('GET', at, () => ({ body: draft }));
    server.on('PATCH', at, async () => {
      await pressed;
      draft = { ...draft, title: 'Move VersHub', sequence: draft.sequence + 1 };
      return { body: { number: 3, sequence: draft.sequence } };
    });
    server.on('POST', `${at}/apply`, ({ headers }) =>
      headers.get('If-Match') === `"3-${draft.sequence}"`
        ? { body: { number: 3, revision: 5 } }
        : problem(412, 'revision-conflict', 'Draft #3 was changed meanwhile.'),
    );
    const user = open(<CurrentReview />);
    await user.type(await screen.findByRole('textbox', { name: 'What it is for' }), 'Move VersHub');
    await untilItCanBeApplied();
    await user.click(apply());
    expect(apply()).toHaveAttribute('data-loading', 'true');
    button.dispatchEvent(new Event('press'));
    expect(await screen.findByText('Draft #3 is live as revision 5.')).toBeInTheDocument();
    expect(server.asked.find(({ method }) => method === 'PATCH')?.body).toEqual({ title: 'Move VersHub' });
    expect(server.asked.find(({ path }) => path === `${at}/apply`)?.headers.get('If-Match')).toBe('"3-8"');
  });

  it('says what stands in the way when applying is refused', async () => {
    server.on('POST', `${at}/apply`, () =>
      problem(412, 'revision-conflict', 'Draft #3 was changed meanwhile.', { cure: 'Look at it again.' }),
    );
    const user = show();
    await untilItCanBeApplied();
    await user.click(apply());
    expect(await screen.findByRole('alert')).toHaveTextContent('Draft #3 was changed meanwhile.');
  });

  it('applies nothing while a conflict is open, and decides it', async () => {
    server.on('POST', `${at}/conflicts`, () => ({ body: { number: 3, sequence: 8 } }));
    const user = show({
      objects: [changedObject({ name: 'VersHub', conflict: 'open' }), changedObject()],
      conflict_count: 1,
      is_behind: true,
      revision: 6,
    });
    expect(apply()).toHaveAttribute('aria-description', 'Decide 1 conflict first.');
    await user.click(apply());
    expect(screen.getAllByRole('listitem')[0]).toHaveTextContent('VersHub');
    await user.click(screen.getByRole('button', { name: 'Take what is live' }));
    await waitFor(() => {
      expect(server.asked.map((asked) => asked.body)).toContainEqual({
        instance: 'PARIS',
        database: 'Ventes',
        kind: 'route',
        name: 'VersHub',
        decision: 'theirs',
      });
    });
    expect(server.asked.map((asked) => asked.path)).not.toContain(`${at}/apply`);
  });

  it('tells why an instance cannot be made so', () => {
    show({
      problems: [
        {
          instance: 'PARIS',
          code: 9743,
          detail: 'The address is missing.',
          why: 'A route needs one.',
          cure: 'Give one.',
        },
      ],
    });
    expect(screen.getByRole('alert')).toHaveTextContent(
      '9743 · PARIS: The address is missing.A route needs one. Give one.',
    );
    expect(apply()).toHaveAttribute('aria-disabled', 'true');
  });

  it('lets who may only look do nothing', () => {
    show({}, 'viewer');
    expect(apply()).toHaveAttribute('aria-disabled', 'true');
    expect(screen.getByRole('button', { name: 'Discard' })).toHaveAttribute('aria-disabled', 'true');
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  });

  it('asks before it is discarded', async () => {
    server.on('DELETE', at, () => ({ body: { number: 3, sequence: 8 } }));
    const user = show();
    await user.click(screen.getByRole('button', { name: 'Discard' }));
    expect(server.asked.some(({ method }) => method === 'DELETE')).toBe(false);
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Discard' }));
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent('/estates/demo-fr-de/changes');
    });
  });

  it('gives an empty draft up at once, unless somebody has done something in it meanwhile', async () => {
    server.on('DELETE', at, () => ({ body: { number: 3, sequence: 8 } }));
    const user = show({ objects: [] });
    expect(screen.getByText(/changes nothing yet/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Discard' }));
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent('/estates/demo-fr-de/changes');
    });
    expect(server.asked.find(({ method }) => method === 'DELETE')?.headers.get('If-Match')).toBe('"3-7"');
  });

  it('warns of new errors beside Apply and does not lock it', async () => {
    const line = { ...finding(), severity: 'error' as const };
    const user = show(
      {},
      'editor',
      found({
        new: { errors: 2, warnings: 0, infos: 0 },
        gone: { errors: 1, warnings: 0, infos: 0 },
        findings: [line],
      }),
    );
    await user.click(await screen.findByRole('button', { name: '2 new errors' }));
    expect(screen.getByRole('tab', { name: /Findings \(2 new, 1 gone\)/ })).toHaveAttribute('aria-selected', 'true');
    const list = await screen.findByRole('list', { name: 'Findings that the draft brings' });
    expect(within(list).getByRole('link', { name: line.title })).toHaveAttribute(
      'href',
      expect.stringContaining('draft=3'),
    );
    expect(apply()).not.toHaveAttribute('aria-disabled', 'true');
  });

  it('says nothing of errors when there is none', async () => {
    const user = show();
    await user.click(await screen.findByRole('tab', { name: 'Findings (0 new, 0 gone)' }));
    expect(await screen.findByText('The draft brings no finding.')).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /new error/ })).not.toBeInTheDocument();
  });

  it('narrows a long list by what the address says', async () => {
    const user = show({
      object_count: 10_000,
      matching_count: 10_000,
      pages: 100,
      object_counts: { add: 9_999, change: 1, remove: 0 },
    });
    expect(apply()).toHaveAccessibleName('Apply 10,000 changes');
    await user.type(screen.getByRole('textbox', { name: 'Name of object or database' }), 'Vers');
    await waitFor(() => {
      expect(screen.getByTestId('address')).toHaveTextContent('name=Vers');
    });
    await user.click(screen.getByRole('button', { name: 'Next page' }));
    expect(screen.getByTestId('address')).toHaveTextContent('page=2');
  });
});
