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
  const told = { StartTime: 1_700_000_000 + number, ObjectName: 'handle', DatabaseName: 'Ventes', BigintData1: number };
  return ['PARIS', 'SEND Message', told];
}

/** What the button puts on the clipboard. */
async function copied(): Promise<string> {
  let text = '';
  // jsdom has no copying; the page's own way of it is deprecated, and the only one without TLS.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  document.execCommand = () => {
    const event = new Event('copy') as Event & { clipboardData: unknown };
    event.clipboardData = {
      setData: (type: string, value: string) => {
        text = type === 'text/plain' ? value : text;
      },
    };
    return document.dispatchEvent(event) || true;
  };
  await userEvent.click(screen.getByRole('button', { name: 'Copy' }));
  return text;
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
    is_vendors: name !== 'instance_name',
  }));
  act(() => {
    const table = tableOf({ columns, keys: ['PARIS 1', 'PARIS 2'], rows: [sent(1), sent(2)], facts: {} });
    useLiveStore.setState({ topics: { [keyOf(wanted)]: { ...newTopic(wanted, 1), stream: 's', seq: 1, table } } });
  });
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringContaining('SEND Message × 2 (numbers 1 to 2)'),
  ]);
  await userEvent.click(screen.getByText('Each event'));
  expect(screen.getAllByRole('listitem')).toHaveLength(2);
  expect(screen.queryByText(/"BigintData1": 2/)).toBeNull();
  expect(await copied()).toContain('2023-11-14 22:13:21.000\tSEND Message\t1\t1\t1\tPARIS\tVentes');
  await userEvent.click(screen.getByText('As traced'));
  expect(await copied()).toBe(
    [
      'instance_name\tEventSubClassName\tStartTime\tObjectName\tDatabaseName\tBigintData1',
      'PARIS\tSEND Message\t2023-11-14 22:13:21.000\thandle\tVentes\t1',
      'PARIS\tSEND Message\t2023-11-14 22:13:22.000\thandle\tVentes\t2',
    ].join('\r\n'),
  );
  expect(screen.getByText(/"BigintData1": 2/)).toBeInTheDocument();
});
