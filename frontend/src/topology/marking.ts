// Several routes at once: which of them a container holds, and how they are told to the server.
import type { Estate, ObjectName, Route } from '@/contracts/api';

import { formatSelection, parseSelection, type DatabasePath, type Selection } from './selection';

type Placed = { path: DatabasePath; route: Route };

function everyRoute(estate: Estate): Placed[] {
  return estate.instances.flatMap((instance) =>
    instance.databases.flatMap((database) =>
      database.routes.map((route) => ({ path: { instance: instance.name, database: database.name }, route })),
    ),
  );
}

/** Every route of an estate, as selections in text. */
export function allRoutes(estate: Estate): ReadonlySet<string> {
  return new Set(everyRoute(estate).map(textOf));
}

/** Every instance and database of an estate, as selections in text. */
export function allBoxes(estate: Estate): string[] {
  return estate.instances.flatMap(({ name, databases }) => [
    formatSelection({ kind: 'instance', instance: name }),
    ...databases.map((database) => formatSelection({ kind: 'database', instance: name, database: database.name })),
  ]);
}

function textOf({ path, route }: Placed): string {
  return formatSelection({ kind: 'route', ...path, route: route.name });
}

/**
 * The routes that lead out of what is selected: of an instance, of a database or of the database in which a service or
 * a route is; those that lead to an address; of the whole estate when nothing is selected. LOCAL leads nowhere, so it
 * is not among them.
 */
export function routesWithin(estate: Estate, selection: Selection | null): string[] {
  return everyRoute(estate)
    .filter(({ path, route }) => route.address_kind !== 'local' && isWithin(path, route, selection))
    .map(textOf);
}

function isWithin(path: DatabasePath, route: Route, selection: Selection | null): boolean {
  if (selection === null) {
    return true;
  }
  if (selection.kind === 'ghost') {
    return [route.address, route.mirror_address].includes(selection.address);
  }
  return (
    path.instance === selection.instance && (selection.kind === 'instance' || path.database === selection.database)
  );
}

/** The routes of an instance that lead to one place: to an instance, or with null to addresses of nobody. */
export function routesToward(estate: Estate, instance: string, target: string | null): string[] {
  return everyRoute(estate)
    .filter(({ path, route }) => {
      const isFirst = route.address_kind !== 'local' && route.target_instance === target;
      const isSecond = route.mirror_address !== null && route.mirror_target_instance === target;
      return path.instance === instance && (isFirst || isSecond);
    })
    .map(textOf);
}

/** The instances among marked boxes, and those whose databases are. */
export function instancesOf(boxes: Iterable<string>): ReadonlySet<string> {
  return new Set(
    [...boxes]
      .map(parseSelection)
      .flatMap((selection) => (selection === null || selection.kind === 'ghost' ? [] : [selection.instance])),
  );
}

/** Marked boxes as the API names places of a script; an instance stands for its databases. */
export function placesOf(boxes: Iterable<string>): string[] {
  const chosen = [...boxes].map(parseSelection);
  const whole = new Set(chosen.flatMap((one) => (one?.kind === 'instance' ? [one.instance] : [])));
  return chosen.flatMap((one) => {
    if (one?.kind === 'instance') {
      return [encodeURIComponent(one.instance)];
    }
    return one?.kind === 'database' && !whole.has(one.instance)
      ? [`${encodeURIComponent(one.instance)}/${encodeURIComponent(one.database)}`]
      : [];
  });
}

/** What `routesWithin` is for routes: the box that is selected, or every instance when nothing is. */
export function boxesWithin(estate: Estate, selection: Selection | null): string[] {
  if (selection === null) {
    return estate.instances.map(({ name }) => formatSelection({ kind: 'instance', instance: name }));
  }
  return selection.kind === 'instance' || selection.kind === 'database' ? [formatSelection(selection)] : [];
}

/**
 * Routes and boxes taken into what is marked, or out of it when the boxes, or without any the routes, are in it
 * already.
 */
export function turnedBoth(
  routes: ReadonlySet<string>,
  boxes: ReadonlySet<string>,
  some: { routes: readonly string[]; boxes: readonly string[] },
): [ReadonlySet<string>, ReadonlySet<string>] {
  const isIn =
    some.boxes.length > 0 ? some.boxes.every((one) => boxes.has(one)) : some.routes.every((one) => routes.has(one));
  return isIn
    ? [
        new Set([...routes].filter((one) => !some.routes.includes(one))),
        new Set([...boxes].filter((one) => !some.boxes.includes(one))),
      ]
    : [new Set([...routes, ...some.routes]), new Set([...boxes, ...some.boxes])];
}

/** Marked routes as the API names objects. */
export function objectNames(marked: Iterable<string>): ObjectName[] {
  return [...marked].flatMap((text) => {
    const selection = parseSelection(text);
    return selection?.kind === 'route'
      ? [{ instance: selection.instance, database: selection.database, name: selection.route }]
      : [];
  });
}
