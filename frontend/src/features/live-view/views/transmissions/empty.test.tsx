import { act, screen } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';

import { useLiveStore } from '@/lib/live-store';
import { keyOf, newTopic, type TopicState } from '@/live/streams';
import { tableOf } from '@/live/tables';
import { demoEstate } from '@/testing/demo-estate';
import { render } from '@/testing/render';

import { depthParams } from './depth-chart';
import TransmissionsView from './transmissions';

const estate = demoEstate();
const now = Date.UTC(2026, 10, 23, 20, 0, 0) / 1000;
const quiet = { total: 0, has_more: false, groups: [], left: [], started_at: now - 7200 };
const all = Object.fromEntries(estate.instances.map(({ name }) => [name, quiet]));

function tell(facts: Record<string, unknown>, params: TopicState['params'] = {}) {
  const wanted = { estate: estate.name, topic: 'transmissions', params } as const;
  const table = tableOf({ columns: [], keys: [], rows: [], facts });
  const state = { ...newTopic(wanted, 1), stream: 's', seq: 5, isCurrent: true, awaitsSnapshot: false, table };
  act(() => {
    useLiveStore.setState((store) => ({
      topics: { ...store.topics, [keyOf(wanted)]: { ...state, seenAt: now * 1000 } },
    }));
  });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: now * 1000 });
  useLiveStore.setState({ topics: {} });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a queue in which nothing waits', () => {
  it('says so, and when the last message left', () => {
    render(<TransmissionsView />);
    tell({ ...all, PARIS: { ...quiet, left: [{ database: 'Ventes', at: now - 192 }] } });
    expect(screen.getByText(/Nothing waits to be transmitted/)).toBeInTheDocument();
    expect(screen.getByText(/The last message that arrived left PARIS · Ventes 3 m 12 s ago/)).toBeInTheDocument();
  });

  it('says since when none has left, which is all that is known after a start', () => {
    render(<TransmissionsView />);
    tell({ ...all, LYON: { ...quiet, started_at: now - 60 } });
    expect(screen.getByText(/since they were started, the last of them 1 m 0 s ago/)).toBeInTheDocument();
  });

  it('says of whom it is not known, and of a place that is chosen alone that nothing waits there', () => {
    render(<TransmissionsView />, { address: '/?instance=LYON' });
    tell(
      { LYON: { ...quiet, unavailable: { reason: 'stopped', since: now - 9 } } },
      { instances: ['LYON'], rows: 1000 },
    );
    expect(screen.getByText(/Nothing waits to be transmitted at LYON/)).toBeInTheDocument();
    expect(screen.getByText(/When the last one left LYON is not known now/)).toBeInTheDocument();
    expect(screen.queryByText(/since/)).toBeNull();
  });
});

describe('the chart of depths', () => {
  it('takes a moment a second, and says that nobody knows while nobody does', () => {
    render(<TransmissionsView />);
    const deep = (messages: number) => ({
      ...quiet,
      groups: [{ database: 'Ventes', number: null, messages, conversations: 1, oldest: now, text: '' }],
    });
    const pass = () => {
      act(() => {
        vi.advanceTimersByTime(1000);
      });
    };
    const value = () => screen.getByRole('slider', { name: 'Messages that wait, by instance' }).ariaValueText;
    tell({ ...all, PARIS: deep(3) });
    tell({ ...all, PARIS: deep(3) }, depthParams);
    expect(screen.getByText('Nothing has waited here since this page was opened.')).toBeInTheDocument();
    pass();
    expect(value()).toMatch(/^PARIS 3/);
    tell({ ...all, PARIS: deep(40) }, depthParams);
    tell({ ...all, PARIS: deep(12) }, depthParams);
    pass();
    expect(value()).toMatch(/^PARIS 12/);
    expect(screen.getByRole('slider', { name: 'Messages that wait, by instance' })).toHaveAttribute(
      'aria-valuemax',
      '2',
    );
    tell({ ...all, PARIS: { ...deep(12), unavailable: { reason: 'stopped', since: now } } }, depthParams);
    pass();
    expect(value()).toMatch(/^PARIS \?/);
  });
});
