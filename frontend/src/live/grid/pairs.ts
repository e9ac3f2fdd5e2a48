// Both sides of a conversation, one below the other; and what is known of a side that is not there.
import type { GridRow, Read } from './rows';
import type { Source, SourceState } from './sources';

/**
 * Why only one side is shown. `unknown`: the other's instance does not answer. `outside`: its broker is none of this
 * estate. `not-yet`: it has not answered yet, and may not be there. `gone`: everybody has answered, and nobody has it.
 */
export type HalfReason = 'unknown' | 'outside' | 'not-yet' | 'gone';

export type Half = {
  reason: HalfReason;
  isInitiator: boolean;
  service: string;
  /** Where it should be; null when nobody knows. */
  instance: string | null;
};

export type PairContext = {
  /** Instances with a database of this broker id, in small letters: both halves of a mirrored one; none of another's. */
  instancesOf: (brokerId: string) => readonly string[];
  sources: readonly Source[];
  /**
   * Whether every row of every instance that answers is there: else a side that is somewhere may merely not be shown.
   */
  isComplete: boolean;
};

export function pairKey(row: GridRow, read: Read): string {
  return row.half === undefined ? textOf(read(row, 'conversation_id')) : row.key.slice(halfPrefix.length);
}

const halfPrefix = 'half ';
const isSilent: ReadonlySet<SourceState> = new Set(['unknown', 'waiting', 'not-connected']);

/**
 * Rows with both sides together, the initiator first; and a half for a side that is missed. Pairs stand in the order of
 * their first row, those that are over behind all others.
 */
export function paired(rows: readonly GridRow[], read: Read, context: PairContext): GridRow[] {
  const pairs = new Map<string, GridRow[]>();
  for (const row of rows) {
    const key = pairKey(row, read);
    const pair = pairs.get(key);
    if (pair === undefined) {
      pairs.set(key, [row]);
    } else {
      pair.push(row);
    }
  }
  const isOver = ([, pair]: [string, GridRow[]]) => pair.every((row) => read(row, 'state') === 'CD');
  const inOrder = [...pairs].toSorted((one, other) => Number(isOver(one)) - Number(isOver(other)));
  return inOrder.flatMap(([key, pair]) => {
    const sides = pair.toSorted((one, other) => Number(isInitiator(other, read)) - Number(isInitiator(one, read)));
    const only = sides.length === 1 ? sides[0] : undefined;
    // Of what is over here the other side is mostly gone, by design: a line for each would bury those that go on.
    const half = only === undefined || read(only, 'state') === 'CD' ? null : otherHalf(only, read, context);
    if (half === null) {
      return sides;
    }
    const missing: GridRow = { key: halfPrefix + key, instance: half.instance ?? '', cells: [], half };
    return half.isInitiator ? [missing, ...sides] : [...sides, missing];
  });
}

function isInitiator(row: GridRow, read: Read): boolean {
  return Boolean(read(row, 'is_initiator'));
}

/** What is to be said of the other side of a row; null when it merely is not among the rows, or is rightly gone. */
export function otherHalf(row: GridRow, read: Read, { instancesOf, sources, isComplete }: PairContext): Half | null {
  const broker = read(row, 'far_broker_instance');
  const half = { isInitiator: !isInitiator(row, read), service: textOf(read(row, 'far_service')) };
  if (typeof broker === 'string') {
    const instances = instancesOf(broker.toLowerCase());
    if (instances.length === 0) {
      return { ...half, reason: 'outside', instance: null };
    }
    const there = sources.filter(({ instance }) => instances.includes(instance));
    // Cut off or refused ourselves, we hold what was so: of a side that was not there then, nothing new is known.
    const silent = there.find(({ state }) => isSilent.has(state));
    if (silent !== undefined) {
      return { ...half, reason: 'unknown', instance: silent.instance };
    }
    // A side that has ended and whose other has gone is what conversations come to.
    return isComplete && there.length === instances.length && read(row, 'state') !== 'CD'
      ? { ...half, reason: 'gone', instance: instances.join(' / ') }
      : null;
  }
  // Nobody has told this side of the other: true whatever rows are here.
  return read(row, 'state') === 'CD' ? null : { ...half, reason: 'not-yet', instance: null };
}

function textOf(cell: unknown): string {
  return typeof cell === 'string' ? cell : '';
}
