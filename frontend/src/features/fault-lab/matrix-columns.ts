// Which failures are columns of the matrix.
import { faultKinds, type Fault, type FaultKind } from '@/topology/faults';

/** Columns that are asked for and drawn at once. */
export const columnsAtOnce = 30;

/** The kinds that an address names; all of those that there are when it names none. */
export function kindsOf(text: string | null, present: readonly FaultKind[]): readonly FaultKind[] {
  if (text === null) {
    return present;
  }
  const named = text.split(',');
  return present.filter((kind) => named.includes(kind));
}

/** The failures of some kinds, kind by kind. */
export function columnsOf(failures: readonly Fault[], kinds: readonly FaultKind[]): Fault[] {
  return faultKinds
    .filter((kind) => kinds.includes(kind))
    .flatMap((kind) => failures.filter((fault) => fault.kind === kind));
}

/** A page of them; the last where there are not so many. */
export function columnsOfPage(columns: readonly Fault[], wanted: number) {
  const pages = Math.max(1, Math.ceil(columns.length / columnsAtOnce));
  const page = Math.min(wanted, pages);
  return { faults: columns.slice((page - 1) * columnsAtOnce, page * columnsAtOnce), page, pages };
}

/** Neighbours of one kind, for the head above their columns. */
export function runsOf(faults: readonly Fault[]): { kind: FaultKind; count: number }[] {
  const runs: { kind: FaultKind; count: number }[] = [];
  for (const { kind } of faults) {
    const last = runs.at(-1);
    if (last?.kind === kind) {
      last.count += 1;
    } else {
      runs.push({ kind, count: 1 });
    }
  }
  return runs;
}
