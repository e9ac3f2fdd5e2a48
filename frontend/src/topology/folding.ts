// Which instances are folded. Small estates open whole; large ones open folded, since nobody can read a thousand boxes,
// and whoever unfolds an instance sees it among the others.
import type { Estate } from '@/contracts/api';

const instancesMax = 5;
const boxesMax = 150;

/** Whether an estate is too large to open whole. */
export function opensFolded(estate: Estate): boolean {
  const boxes = estate.instances.reduce((sum, { databases }) => sum + 1 + databases.length, 0);
  return estate.instances.length > instancesMax || boxes > boxesMax;
}

/** What somebody has folded or unfolded by hand; the others are as the estate opens. */
export type Folding = { isFoldedAtFirst: boolean; turned: ReadonlySet<string> };

export function isFolded({ isFoldedAtFirst, turned }: Folding, instance: string): boolean {
  return turned.has(instance) !== isFoldedAtFirst;
}

/** The same, with one instance turned over. */
export function turn(folding: Folding, instance: string): Folding {
  const turned = new Set(folding.turned);
  if (!turned.delete(instance)) {
    turned.add(instance);
  }
  return { ...folding, turned };
}

/** All folded, or none. */
export function foldAll(isAllFolded: boolean): Folding {
  return { isFoldedAtFirst: isAllFolded, turned: new Set() };
}
