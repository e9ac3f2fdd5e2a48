// The way of a message as the drawing shows it: which lines and boxes are on it, numbered, and where it ends.
import type { LegKind, ToldAnswer, ToldHop, ToldWay } from '@/contracts/api';
import type { Verdict } from '@/theme/tokens';

import { ids, type Line } from './graph';
import { formatSelection } from './selection';

export type PathHop = {
  /** From 1. */
  number: number;
  instance: string;
  /** The database whose table decided. */
  table: string;
  /** The route that decided, as text of a selection; null where none did. */
  route: string | null;
  /** The box where its line ends; null where it leads to no instance and no address. */
  target: string | null;
};

export type PathEnd = {
  verdict: Verdict;
  word: string;
  /** Ids of the box that the flag stands at, the nearest first: the database, else its instance. */
  boxes: string[];
};

export type ShownPath = {
  /** As far as the message has come. */
  hops: PathHop[];
  /** The hops of the whole way: what is brought into view. */
  all: PathHop[];
  /** The number of the hop that is explained; null while none is. */
  now: number | null;
  /** Routes that were not it, as texts of selections. */
  losers: ReadonlySet<string>;
  /** Null until the message is there. */
  end: PathEnd | null;
};

/** A route as the text of its selection. */
export function routeText(instance: string, database: string, route: string): string {
  return formatSelection({ kind: 'route', instance, database, route });
}

/** The hops of a way, as far as they are drawn. */
export function pathHops(hops: readonly ToldHop[]): PathHop[] {
  return hops.map(({ instance, table, route, next_instance: next, address }, index) => ({
    number: index + 1,
    instance,
    table,
    route: route === null ? null : routeText(instance, table, route),
    target: next !== null ? ids.instance(next) : address !== null ? ids.ghost(address) : null,
  }));
}

/** Where a way ends: at the database that takes the message in, or whose table leads no further; else at the instance. */
export function endBoxes({ hops, instance, database }: ToldWay): string[] {
  const last = hops.at(-1);
  const place = database ?? (last?.instance === instance ? last.table : null);
  return [...(place === null ? [] : [ids.database({ instance, database: place })]), ids.instance(instance)];
}

/** The routes of a hop's table that were not it. */
export function losersOf({ instance, table, losses }: ToldHop): ReadonlySet<string> {
  return new Set(losses.map(({ route }) => routeText(instance, table, route)));
}

/** What a line of the drawing is to a path. */
export type LinePart = 'now' | 'on' | 'loser';

export function partOfLine(path: ShownPath, line: Line): LinePart | null {
  const found = path.hops.filter((hop) => isOn(hop, line));
  if (found.length > 0) {
    return found.some(({ number }) => number === path.now) ? 'now' : 'on';
  }
  return line.kind === 'route' && path.losers.has(routeText(line.path.instance, line.path.database, line.route.name))
    ? 'loser'
    : null;
}

/** Of a mirrored route, the stem and the prong that is dialled; of a folded instance, the bundle stands for its routes. */
export function isOn(hop: PathHop, line: Line): boolean {
  if (line.kind === 'bundle') {
    return (
      hop.route !== null &&
      line.instance === hop.instance &&
      line.target === (hop.target?.startsWith('ghost/') === true ? ids.elsewhere : hop.target)
    );
  }
  if (hop.route === null || routeText(line.path.instance, line.path.database, line.route.name) !== hop.route) {
    return false;
  }
  return line.part === 'whole' || line.part === 'stem' || line.target === hop.target;
}

/** Every box on a path: databases whose tables decide, their instances, what is called, and where it ends. */
export function boxesOnPath({ hops, end }: ShownPath, lines: readonly Line[]): ReadonlySet<string> {
  const boxes = new Set(end?.boxes ?? []);
  for (const hop of hops) {
    boxes.add(ids.instance(hop.instance));
    boxes.add(ids.database({ instance: hop.instance, database: hop.table }));
    if (hop.target !== null) {
      boxes.add(hop.target);
    }
    for (const line of lines.filter((each) => isOn(hop, each))) {
      boxes.add(line.source);
      boxes.add(line.target);
    }
  }
  return boxes;
}

/** From whose database a leg sets out, for sentences about who keeps what. */
export function keeperOf(answer: ToldAnswer, leg: LegKind): string {
  const target = answer.legs[0]?.ways[0]?.database ?? null;
  return leg === 'message' || leg === 'acknowledgement' || target === null ? answer.question.database : target;
}
