import { useQuery } from '@tanstack/react-query';

import type { FlowMatrix } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { asProblem, type Problem } from '@/lib/errors';
import { faultKinds, hasFault, type Fault, type FaultKind } from '@/topology/faults';

import { dependenciesQuery } from './api/dependencies-read';
import { matrixQuery } from './api/matrix-read';
import { kindsOf, ofKinds, pairedMax, pairsOf, type Failure } from './matrix-columns';
import type { FaultLab } from './use-fault-lab';

export type Columns = {
  /** Null until they are known. */
  every: readonly Failure[] | null;
  /** What can fail further, of which kinds it is, and which of them are chosen. */
  faults: readonly Fault[];
  present: readonly FaultKind[];
  kinds: readonly FaultKind[];
  /** Two at once instead of one. */
  isPairs: boolean;
  /** Whether pairs are made of some of them only. */
  isCut: boolean;
  problem: Problem | null;
  retry: () => void;
};

/**
 * The columns that are wanted: single failures or pairs, of the whole estate, or of what the chosen flow depends on. Of
 * such a flow only those are paired that it outlives one by one: what takes it away alone does so with any other too.
 */
export function useColumns(lab: FaultLab, failures: readonly Fault[]): Columns {
  const { name: estate } = useEstatePage();
  const [preset] = useParameter('preset');
  const [kindsText] = useParameter('kinds');
  const { flow } = lab;
  const isPairs = preset === 'pairs';
  const depends = useQuery({ ...dependenciesQuery(estate, lab, flow ?? nobody), enabled: flow !== null });
  const known = flow === null ? failures : (depends.data ?? []);
  const faults = known.filter((fault) => !hasFault(lab.faults, fault));
  const present = faultKinds.filter((kind) => faults.some((fault) => fault.kind === kind));
  const kinds = kindsOf(kindsText, present);
  const chosen = ofKinds(faults, kinds);
  const singles = chosen.slice(0, pairedMax).map((fault): Failure => [fault]);
  const alone = useQuery({
    ...matrixQuery(estate, lab, { failures: singles, flow, page: 1, onlyChanged: false }),
    enabled: isPairs && flow !== null && depends.data !== undefined && singles.length > 0,
  });
  const problem = depends.error ?? alone.error;
  const paired = flow === null ? chosen : alone.data === undefined ? null : outlived(alone.data);
  const isReady = flow === null || depends.data !== undefined;
  return {
    every: !isReady
      ? null
      : !isPairs
        ? chosen.map((fault) => [fault])
        : singles.length === 0
          ? []
          : pairsOrNone(paired),
    faults,
    present,
    kinds,
    isPairs,
    isCut: isPairs && chosen.length > pairedMax,
    problem: problem === null ? null : asProblem(problem),
    retry: () => {
      void depends.refetch();
      void alone.refetch();
    },
  };
}

const nobody = { instance: '', database: '', service: '', to_service: '' };

const pairsOrNone = (faults: readonly Fault[] | null) => (faults === null ? null : pairsOf(faults));

/** Faults with which the one flow of a matrix works, and its sender is alive. */
function outlived({ rows, totals }: FlowMatrix): Fault[] {
  const cells = rows[0]?.cells ?? [];
  return totals.flatMap(({ faults }, index) => {
    const cell = cells[index];
    return cell?.works === true && cell.change !== null ? faults : [];
  });
}
