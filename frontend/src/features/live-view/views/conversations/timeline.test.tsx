import { act, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, it } from 'vitest';

import { useLiveStore } from '@/lib/live-store';
import { keyOf, newTopic } from '@/live/streams';
import { tableOf } from '@/live/tables';
import { render } from '@/testing/render';

import { Timeline } from './timeline';
import type { BothEnds } from './use-both-ends';

const wanted = {
  estate: 'demo-fr-de',
  topic: 'trace',
  params: { classes: [124], rows: 1000, instances: ['PARIS'] },
} as const;

function sent(number: number) {
  const told = { StartTime: number, ObjectName: 'handle', DatabaseName: 'Ventes', BigintData1: number };
  return ['PARIS', 'SEND Message', told];
}

it('tells what happened in short, event by event, and as it was traced', async () => {
  const initiator = {
    row: { key: 'a', instance: 'PARIS', cells: ['handle'] },
    read: () => 'handle',
    isPast: false,
  };
  const ends: BothEnds = { initiator, target: null, half: null, isKnown: true };
  render(<Timeline ends={ends} />);
  const columns = ['instance_name', 'EventSubClassName', 'columns'].map((name) => ({
    name,
    type: 'json',
    nullable: true,
    is_vendors: true,
  }));
  act(() => {
    const table = tableOf({ columns, keys: ['1', '2'], rows: [sent(1), sent(2)], facts: {} });
    useLiveStore.setState({ topics: { [keyOf(wanted)]: { ...newTopic(wanted, 1), stream: 's', seq: 1, table } } });
  });
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('SEND Message × 2 (numbers 1 to 2)'),
  ]);
  await userEvent.click(screen.getByText('Each event'));
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(screen.queryByText(/"BigintData1": 2/)).toBeNull();
  await userEvent.click(screen.getByText('As traced'));
  expect(screen.getByText(/"BigintData1": 2/)).toBeInTheDocument();
});
