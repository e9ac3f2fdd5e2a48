import type { InstanceFacts } from '@/contracts/live-messages';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useTopic } from '@/hooks/use-topics';
import { useLiveStore } from '@/lib/live-store';
import { otherHalf, type Half } from '@/live/grid/pairs';
import { gridColumns, gridRows, reader, type GridRow, type Read } from '@/live/grid/rows';
import { sourcesOf } from '@/live/grid/sources';

import { textOf } from '../common';
import { useInstancesOf } from './use-instances-of';

export type End = {
  row: GridRow;
  read: Read;
  /** Whether it is no more, so that its values are those of before it left. */
  isPast: boolean;
};

export type BothEnds = {
  initiator: End | null;
  target: End | null;
  /** Of the end that is not there; null when it is on its way, or rightly gone. */
  half: Half | null;
  /** Whether everybody who was asked has answered. */
  isKnown: boolean;
};

/** The two ends of a row's conversation, asked for by its id: also of what the table does not show. */
export function useBothEnds(row: GridRow, read: Read): BothEnds {
  const estate = useEstatePage();
  const instancesOf = useInstancesOf();
  const ahead = useLiveStore((store) => store.clockAheadMilliseconds);
  const id = textOf(row, read, 'conversation_id');
  const topic = useTopic(estate.name, 'conversations', { text: id });
  const isKnown = topic !== undefined && topic.seq > 0;
  const found: End[] = isKnown
    ? gridRows(topic.table)
        .map((each) => ({ row: each, read: reader(gridColumns(topic.table)), isPast: false }))
        .filter((end) => end.read(end.row, 'conversation_id') === id)
    : [];
  // What is open stays on show, also after it has left.
  const ends = found.some((end) => end.row.key === row.key) ? found : [{ row, read, isPast: isKnown }, ...found];
  const initiator = ends.find((end) => Boolean(end.read(end.row, 'is_initiator'))) ?? null;
  const target = ends.find((end) => !end.read(end.row, 'is_initiator')) ?? null;
  const only = ends.length === 1 ? ends[0] : undefined;
  const isComplete =
    isKnown && Object.values(topic.table.facts).every((fact) => (fact as InstanceFacts).has_more !== true);
  const sources = sourcesOf(
    topic,
    estate.instances.map(({ name }) => name),
    ahead,
  );
  return {
    initiator,
    target,
    half: only === undefined || !isKnown ? null : otherHalf(only.row, only.read, { instancesOf, sources, isComplete }),
    isKnown,
  };
}
