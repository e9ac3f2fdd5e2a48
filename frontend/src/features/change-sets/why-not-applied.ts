import type { ChangeSet } from '@/contracts/api';
import { counted } from '@/topology/words';

/** Why a change set cannot be made live as it is; null when it can. */
export function whyNotApplied({ state, objects, conflict_count: conflicts, problems }: ChangeSet): string | null {
  if (state !== 'open') {
    return `It is ${state}.`;
  }
  if (conflicts > 0) {
    return `Decide ${counted(conflicts, 'conflict')} first.`;
  }
  const [problem] = problems;
  if (problem !== undefined) {
    return `${problem.instance} cannot be made so: ${problem.detail}`;
  }
  return objects.length === 0 ? 'It changes nothing.' : null;
}
