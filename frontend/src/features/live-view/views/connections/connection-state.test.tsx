import { act, screen } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';

import { useLiveStore } from '@/lib/live-store';
import { emptyLive } from '@/live/compose';
import type { GridRow, Read } from '@/live/grid/rows';
import { instanceView } from '@/testing/demo-estate';
import { render } from '@/testing/render';

import { lookedColumns } from '../../frame/looks';
import { ConnectionDetails } from './details';

const row: GridRow = { key: 'LYON 1', instance: 'LYON', cells: [] };
const cells: Record<string, string | number | null> = {
  state_desc: 'CLOSED',
  error: null,
  login_state: 0,
  address: 'TCP://paris:4022',
};
const read: Read = (_, id) => cells[id] ?? null;

function endpointIs(state: 'STARTED' | 'STOPPED') {
  const view = { ...instanceView('LYON'), endpoint_state: state };
  const live = { view, seenAt: 0, unavailable: null, isCurrent: true };
  act(() => {
    useLiveStore.setState({ live: { ...emptyLive, instances: { LYON: live } } });
  });
}

afterEach(() => {
  act(() => {
    useLiveStore.setState({ live: emptyLive });
  });
});

describe('a connection that is closed', () => {
  it('is fine while its instance may open it, and not when its endpoint is off', () => {
    endpointIs('STARTED');
    render(<ConnectionDetails row={row} read={read} />);
    expect(screen.getByText(/nothing is wrong/)).toBeInTheDocument();
    endpointIs('STOPPED');
    expect(screen.queryByText(/nothing is wrong/)).not.toBeInTheDocument();
    expect(screen.getByText(/the endpoint of LYON is STOPPED/)).toBeInTheDocument();
  });
});

describe('a column of ids', () => {
  it('has digits to copy, one of quantities has groups of them', () => {
    const column = (name: string) => ({ id: name, name, type: 'int', isVendors: true, at: 0 });
    const [id, count] = lookedColumns([column('service_contract_id'), column('priority')], {});
    expect(id?.shape).toBe('text');
    expect(count?.shape).toBe('number');
  });
});
