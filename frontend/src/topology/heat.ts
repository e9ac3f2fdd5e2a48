// How many conversations change where, as the drawing shows it: by instance, and by step from one to the next.
import { ids, type Line } from './graph';

/** The changes that are heat, the gravest first. */
export const heatChanges = ['lost', 'moved', 'gained'] as const;
export type HeatChange = (typeof heatChanges)[number];

/** So many conversations of a change pass `instance`, and come from `from_instance`; null where they begin there. */
export type HeatStep = { instance: string; from_instance: string | null; change: string; conversations: number };

export type ShownHeat = {
  estate: string;
  /** The run that it is a result of. */
  run: string;
  /** What the run compared, in words. */
  title: string;
  steps: readonly HeatStep[];
};

export type Warmth = {
  counts: Record<HeatChange, number>;
  all: number;
  /** The gravest one that there is. */
  gravest: HeatChange;
};

export type Heat = {
  /** By name of the instance. */
  places: ReadonlyMap<string, Warmth>;
  /** By `linkKey`. */
  links: ReadonlyMap<string, Warmth & { from: string; to: string }>;
  /** The largest number there is anywhere. */
  most: number;
};

export function linkKey(from: string, to: string): string {
  return JSON.stringify([from, to]);
}

function isHeat(change: string): change is HeatChange {
  return heatChanges.includes(change as HeatChange);
}

/**
 * A conversation that takes both ways through an instance is in it once for each step that leads there; steps of
 * either revision count.
 */
export function heatOf({ steps }: Pick<ShownHeat, 'steps'>): Heat {
  const places = new Map<string, Record<HeatChange, number>>();
  const links = new Map<string, Record<HeatChange, number>>();
  const ends = new Map<string, { from: string; to: string }>();
  for (const { instance, from_instance: from, change, conversations } of steps) {
    if (!isHeat(change) || conversations <= 0) {
      continue;
    }
    add(places, instance, change, conversations);
    if (from !== null && from !== instance) {
      const key = linkKey(from, instance);
      ends.set(key, { from, to: instance });
      add(links, key, change, conversations);
    }
  }
  const warmLinks = [...links].flatMap(([key, counts]) => {
    const end = ends.get(key);
    return end === undefined ? [] : [[key, { ...warmth(counts), ...end }] as const];
  });
  const warmPlaces = [...places].map(([name, counts]) => [name, warmth(counts)] as const);
  return {
    places: new Map(warmPlaces),
    links: new Map(warmLinks),
    most: Math.max(0, ...[...warmPlaces, ...warmLinks].map(([, { all }]) => all)),
  };
}

function add(sums: Map<string, Record<HeatChange, number>>, key: string, change: HeatChange, count: number): void {
  const known = sums.get(key) ?? { lost: 0, moved: 0, gained: 0 };
  sums.set(key, { ...known, [change]: known[change] + count });
}

function warmth(counts: Record<HeatChange, number>): Warmth {
  return {
    counts,
    all: heatChanges.reduce((sum, change) => sum + counts[change], 0),
    gravest: heatChanges.find((change) => counts[change] > 0) ?? 'lost',
  };
}

/** Between 0 and 1, logarithmic: ten beside a million are seen. */
export function heatShare(count: number, most: number): number {
  return count <= 0 || most <= 0 ? 0 : most === 1 ? 1 : Math.min(1, Math.log10(1 + count) / Math.log10(1 + most));
}

/** Where a line of the drawing leads from and to, as a step of a way; null for one that leads to no instance. */
export function stepOfLine(line: Line): string | null {
  const from = line.kind === 'bundle' ? line.instance : line.path.instance;
  const prefix = ids.instance('');
  return line.target.startsWith(prefix) ? linkKey(from, decodeURIComponent(line.target.slice(prefix.length))) : null;
}
