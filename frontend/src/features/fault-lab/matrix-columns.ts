// Which failures are columns of the matrix.
import { faultKinds, formatFaults, type Fault, type FaultKind } from '@/topology/faults';

/** A column: what fails at once, mostly one fault. */
export type Failure = readonly Fault[];

/** Columns that are asked for and drawn at once. */
export const columnsAtOnce = 30;
/** Faults of which pairs are made: there are 1,770 pairs of sixty. */
export const pairedMax = 60;

/** The kinds that an address names; all of those that there are when it names none. */
export function kindsOf(text: string | null, present: readonly FaultKind[]): readonly FaultKind[] {
  if (text === null) {
    return present;
  }
  const named = text.split(',');
  return present.filter((kind) => named.includes(kind));
}

/** The faults of some kinds, kind by kind. */
export function ofKinds(faults: readonly Fault[], kinds: readonly FaultKind[]): Fault[] {
  return faultKinds
    .filter((kind) => kinds.includes(kind))
    .flatMap((kind) => faults.filter((fault) => fault.kind === kind));
}

/** Every two of the first `pairedMax` that can fail together; not what goes down with the other anyhow. */
export function pairsOf(faults: readonly Fault[]): Failure[] {
  const paired = faults.slice(0, pairedMax);
  return paired.flatMap((one, index) =>
    paired
      .slice(index + 1)
      .filter((other) => !takesAlong(one, other) && !takesAlong(other, one))
      .map((other) => [one, other]),
  );
}

/** Whether the second of two faults makes nothing worse once the first is there: a queue of an instance that is down. */
function takesAlong(one: Fault, other: Fault): boolean {
  const isOf = (fault: Fault) => other.instance === fault.instance || other.other === fault.instance;
  switch (one.kind) {
    case 'instance':
      return isOf(one) && other.kind !== 'partner' && other.kind !== 'instance';
    case 'endpoint':
      return isOf(one) && other.kind === 'link';
    case 'database':
      return other.kind === 'queue' && other.instance === one.instance && other.database === one.database;
    case 'link':
    case 'queue':
    case 'partner':
      return false;
  }
}

/** A page of them; the last where there are not so many. */
export function columnsOfPage(columns: readonly Failure[], wanted: number) {
  const pages = Math.max(1, Math.ceil(columns.length / columnsAtOnce));
  const page = Math.min(wanted, pages);
  return { failures: columns.slice((page - 1) * columnsAtOnce, page * columnsAtOnce), page, pages };
}

/** A column by a text of its own. */
export const failureText = (failure: Failure) => formatFaults(failure);

export type Run = { kind: FaultKind | 'pairs'; count: number };

/** Neighbours of one kind, for the head above their columns. */
export function runsOf(columns: readonly Failure[]): Run[] {
  const runs: Run[] = [];
  for (const failure of columns) {
    const kind = failure.length > 1 ? 'pairs' : failure[0]?.kind;
    const last = runs.at(-1);
    if (kind !== undefined && last?.kind === kind) {
      last.count += 1;
    } else if (kind !== undefined) {
      runs.push({ kind, count: 1 });
    }
  }
  return runs;
}
