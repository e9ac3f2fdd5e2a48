import { act, screen } from '@testing-library/react';
import { ReactFlowProvider } from '@xyflow/react';
import { beforeEach, describe, expect, it } from 'vitest';

import { noFlows, useFlowStore, type FlowStore } from '@/lib/flow-store';
import { useLiveStore } from '@/lib/live-store';
import type { Flow } from '@/live/flows';
import { databaseView, demoEstate, instanceView } from '@/testing/demo-estate';
import { render } from '@/testing/render';
import { buildGraph } from '@/topology/graph';
import { inColumns } from '@/topology/placing';

import { LiveLegend } from './components/live-legend';
import { widthOf } from './components/live-layer';
import { MirrorRole } from './components/mirror-role';
import { Outline } from './components/outline/outline';
import { canvasEdges, withSelected } from './flow-elements';
import { backlogAge } from './hooks/use-backlog-age';
import { flowKey } from './line-flows';

const estate = demoEstate();
const graph = buildGraph(estate);
const edges = canvasEdges(graph, inColumns(graph), new Map(), new Map());
const route = 'route/PARIS/Ventes/VersLyon';
const onRoute = flowKey('PARIS', route);
const flow: Flow = { rate: 12.4, bytesRate: 1000, verdict: 'delivered', error: null, detail: '' };
const now = Date.now() / 1000;

function tell(more: Partial<FlowStore>) {
  act(() => {
    useFlowStore.setState({ flows: new Map(), unknown: new Set(), largest: 0, ...more });
  });
}

function live(more: { unavailable?: string; isCurrent?: boolean; databases?: ReturnType<typeof databaseView>[] } = {}) {
  const {
    unavailable = null,
    isCurrent = true,
    databases = [
      databaseView('Ventes', { oldest: now - 700, transmission_queue_total: 3 }),
      databaseView('Stock', { oldest: now - 5, transmission_queue_total: 2 }),
    ],
  } = more;
  const view = instanceView('PARIS', { databases });
  return {
    estate: estate.name,
    instances: { PARIS: { view, seenAt: Date.now(), unavailable, isCurrent } },
    progress: null,
  };
}

function legend(selected: string | null = null) {
  render(
    <ReactFlowProvider>
      <LiveLegend edges={withSelected({ nodes: [], edges }, selected).edges} covered={0} />
    </ReactFlowProvider>,
  );
}

beforeEach(() => {
  useFlowStore.setState(noFlows);
  useLiveStore.setState({ topics: {}, clockAheadMilliseconds: 0 });
});

describe('the legend of the live overlay', () => {
  it('prints the largest rate there is now, and follows it', () => {
    legend();
    expect(screen.queryByRole('region', { name: 'Live values' })).toBeNull();
    tell({ flows: new Map([[onRoute, flow]]), largest: 12.4 });
    expect(screen.getByText('Line width: up to 12 messages/s')).toBeInTheDocument();
    tell({ largest: 0.25 });
    expect(screen.getByText('Line width: up to 0.3 messages/s')).toBeInTheDocument();
    tell({ largest: 0 });
    expect(screen.getByText('Line width: messages per second, none now')).toBeInTheDocument();
    tell({ largest: null });
    expect(screen.getByText('Line width: messages per second, not known now')).toBeInTheDocument();
  });

  it('says what goes over the selected route, and with which error nothing does', () => {
    legend(route);
    tell({ flows: new Map([[onRoute, flow]]), largest: 20 });
    expect(screen.getByText('12 messages/s, delivered')).toBeInTheDocument();
    tell({ flows: new Map([[onRoute, { ...flow, rate: null, verdict: 'lost', error: 9754 }]]) });
    expect(screen.getByText('not delivered, error 9754')).toBeInTheDocument();
    tell({ unknown: new Set(['PARIS']) });
    expect(screen.getByText('unknown: the sender does not answer')).toBeInTheDocument();
    tell({});
    expect(screen.getByText('nothing sent')).toBeInTheDocument();
  });
});

describe('widths', () => {
  it('grow with the logarithm of the rate up to the largest, in half units', () => {
    expect([widthOf(null, 100), widthOf(0, 100), widthOf(100, 100), widthOf(1, 1)]).toEqual([4, 4, 14, 14]);
    expect(widthOf(9, 99)).toBe(9);
    expect(widthOf(9.1, 99) * 2).toBe(Math.round(widthOf(9.1, 99) * 2));
  });
});

describe('rings', () => {
  it('are of the oldest message of a database, or of all of an instance', () => {
    const store = { live: live(), clockAheadMilliseconds: 0 };
    expect(['Ventes', 'Stock', undefined].map((name) => backlogAge(store, 'PARIS', name))).toEqual([
      'hour',
      'minute',
      'hour',
    ]);
    expect(backlogAge({ ...store, clockAheadMilliseconds: 3_000_000 }, 'PARIS', 'Ventes')).toBe('longer');
  });

  it('are not there where nothing waits, and unknown where nobody says', () => {
    const age = (more: Parameters<typeof live>[0]) =>
      backlogAge({ live: live(more), clockAheadMilliseconds: 0 }, 'PARIS');
    expect(age({ databases: [databaseView('Ventes')] })).toBeUndefined();
    expect(age({ unavailable: 'no worker' })).toBe('unknown');
    expect(age({ isCurrent: false })).toBe('unknown');
    expect(backlogAge({ live: live(), clockAheadMilliseconds: 0 }, 'LYON')).toBeUndefined();
  });
});

describe('the badge of a mirrored database', () => {
  const path = { instance: 'PARIS', database: 'Ventes' };
  const wanted = estate.instances[0]?.databases[1];
  const show = (state: 'online' | 'mirror', told: Parameters<typeof live>[0], address = '/') => {
    useLiveStore.setState({ live: live(told) });
    if (wanted !== undefined) {
      render(<MirrorRole path={path} database={{ ...wanted, state }} partner="TCP://lyon:5022" />, { address });
    }
    return (
      document.querySelector('[data-state]')?.getAttribute('data-state') ??
      document.querySelector('[data-role]')?.getAttribute('data-role')
    );
  };
  const halves = () => [...document.querySelectorAll('[data-on="true"]')].map((half) => half.textContent).join('');

  it.each([
    ['online', 'online', 'asWanted', 'P'],
    ['mirror', 'mirror', 'asWanted', 'M'],
    ['online', 'mirror', 'changed', 'M'],
    ['mirror', 'online', 'changed', 'P'],
  ] as const)('shows of one defined as %s, which is %s now: %s', (defined, now_, state, half) => {
    expect([show(defined, { databases: [databaseView('Ventes', { state: now_ })] }), halves()]).toEqual([state, half]);
  });

  it('says neither while the instance is silent', () => {
    expect([show('mirror', { unavailable: 'no worker', databases: [databaseView('Ventes')] }), halves()]).toEqual([
      'unknown',
      '',
    ]);
  });

  it('says what is defined without the overlay', () => {
    expect(show('mirror', {}, '/?hide=live')).toBe('mirror');
  });
});

describe('the outline', () => {
  it('tells in words what the overlay shows', () => {
    useLiveStore.setState({ live: live() });
    render(<Outline onClose={() => undefined} onDelete={() => undefined} />, {
      address: `/?select=${encodeURIComponent(route)}`,
    });
    tell({ flows: new Map([[onRoute, flow]]), largest: 12 });
    const row = (name: RegExp) => screen.getByRole('row', { name });
    expect(row(/PARIS/)).toHaveTextContent(/5 messages wait, the oldest for 11 m/);
    expect(row(/Ventes/)).toHaveTextContent('3 messages wait');
    expect(row(/VersLyon/)).toHaveTextContent('12 messages/s, delivered');
    act(() => {
      useLiveStore.setState({ live: live({ unavailable: 'no worker' }) });
    });
    expect(row(/PARIS/)).toHaveTextContent('backlog unknown');
  });
});
