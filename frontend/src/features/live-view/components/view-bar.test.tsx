import { act, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';

import { useLiveStore } from '@/lib/live-store';
import { emptyLive, type LiveInstance } from '@/live/compose';
import { databaseView, demoEstate, instanceView } from '@/testing/demo-estate';
import { render } from '@/testing/render';

import { ViewBar } from './view-bar';

const names = demoEstate().instances.map(({ name }) => name);
const waiting = [databaseView('Ventes', { transmission_queue_total: 3 })];

/** Every instance has three messages that wait, but for what is `changed` of the first. */
function tell(changed: Partial<LiveInstance> = {}) {
  const told = (name: string): LiveInstance => ({
    view: instanceView(name, { databases: waiting }),
    seenAt: Date.now(),
    unavailable: null,
    isCurrent: true,
    ...(name === names[0] ? changed : {}),
  });
  act(() => {
    const instances = Object.fromEntries(names.map((name) => [name, told(name)]));
    useLiveStore.setState({ live: { ...emptyLive, estate: 'demo-fr-de', instances } });
  });
}

beforeEach(() => {
  useLiveStore.setState({ live: emptyLive });
});

describe('the counts beside the names of the views', () => {
  const count = () => screen.getByRole('link', { name: /Transmission queues/ }).textContent;
  const all = 3 * names.length;

  it('are unknown before anybody has told, and numbers when all tell', () => {
    render(<ViewBar />);
    expect(count()).toBe('Transmission queues?');
    tell();
    expect(count()).toBe(`Transmission queues${all}`);
  });

  it.each([
    ['does not answer', { unavailable: 'no log' }, all],
    ['has never answered', { view: null, unavailable: 'no log' }, all - 3],
    ['is held by a browser that is cut off', { isCurrent: false }, all],
  ])('are doubtful while an instance %s', (_, changed, sum) => {
    render(<ViewBar />);
    tell(changed);
    expect(count()).toBe(`Transmission queues${sum} ?`);
    expect(screen.getByText(`${sum} ?`)).toHaveAttribute('title', expect.stringContaining('As far as it is known'));
  });
});
