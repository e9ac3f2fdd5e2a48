// The drawing of an estate as boxes and lines with explicit sizes, before anybody has placed them. Sizes are explicit
// so that layout needs no browser and the canvas can leave out what is off screen.
//
//   ┌─ instance ──────────────┐
//   │ header                  │
//  ▶│ msdb, the gate          │▶ routes for what arrives
//   │ database                │▶ routes for what begins here
//   │   service, service      │
//   │   LOCAL routes          │
//   └─────────────────────────┘
//
// A folded instance is its header and one line of counts; what leads from it to the same place is drawn as one line.
import type { Database, Estate, Instance, Route } from '@/contracts/api';
import { i18n } from '@/i18n';

import { layerOf, type Hidden, type Layer } from './layers';
import { bundleLabel, routeLabel, type RouteLabel } from './line-label';
import { databasesOfBroker, gateDatabase } from './lookup';
import type { DatabasePath } from './selection';

export const sizes = {
  cardWidth: 284,
  header: 48,
  padding: 8,
  gap: 6,
  databaseHead: 36,
  line: 24,
  databasePadding: 6,
  summary: 30,
  ghostWidth: 168,
  ghostHeight: 44,
  fork: 14,
} as const;

const servicesShown = 6;
const localRoutesShown = 3;

export type DatabaseBox = {
  id: string;
  path: DatabasePath;
  database: Database;
  isGate: boolean;
  /** Relative to the instance's card. */
  x: number;
  y: number;
  width: number;
  height: number;
  services: Database['services'];
  servicesHidden: number;
  localRoutes: Route[];
  localRoutesHidden: number;
  /** LOCAL for any service and any id, as every database is born with: a sign in the head, not a line. */
  catchAll: Route | null;
};

export type InstanceBox = {
  kind: 'instance';
  id: string;
  instance: Instance;
  width: number;
  height: number;
  /** Height of the port on the left edge, where what arrives comes in. */
  portY: number;
  /** None when the instance is folded. */
  databases: DatabaseBox[];
  isFolded: boolean;
};

export type SmallBox = {
  kind: 'ghost' | 'elsewhere' | 'transport' | 'fork';
  id: string;
  /** The address for a ghost, words for all such addresses together, empty for the others. */
  text: string;
  width: number;
  height: number;
};

export type RouteLine = {
  kind: 'route';
  id: string;
  path: DatabasePath;
  route: Route;
  /** A mirrored route is a stem to a fork and two prongs; the prong to the principal is the solid one. */
  part: 'whole' | 'stem' | 'principal' | 'mirror';
  source: string;
  sourcePort: string;
  target: string;
  targetPort: string;
  label: RouteLabel | null;
};

export type RouteCount = { routes: number; expired: number };

/** All routes of a folded instance that lead to one place. */
export type BundleLine = {
  kind: 'bundle';
  id: string;
  instance: string;
  /** Where they lead, in words. */
  towards: string;
  routes: number;
  expired: number;
  /** The same by layer. */
  layers: ReadonlyMap<Layer, RouteCount>;
  source: string;
  sourcePort: string;
  target: string;
  targetPort: string;
  label: RouteLabel;
};

export type Line = RouteLine | BundleLine;

export type Graph = { instances: InstanceBox[]; others: SmallBox[]; lines: Line[] };

export const ids = {
  instance: (name: string) => `instance/${encodeURIComponent(name)}`,
  database: (path: DatabasePath) =>
    `database/${encodeURIComponent(path.instance)}/${encodeURIComponent(path.database)}`,
  route: (path: DatabasePath, name: string) =>
    `route/${encodeURIComponent(path.instance)}/${encodeURIComponent(path.database)}/${encodeURIComponent(name)}`,
  service: (path: DatabasePath, name: string) =>
    `service/${encodeURIComponent(path.instance)}/${encodeURIComponent(path.database)}/${encodeURIComponent(name)}`,
  ghost: (address: string) => `ghost/${encodeURIComponent(bareAddress(address))}`,
  bundle: (source: string, target: string) => `bundle/${encodeURIComponent(source)}/${encodeURIComponent(target)}`,
  elsewhere: 'elsewhere',
  portIn: 'in',
  portOfAll: 'out',
  portOut: (database: string) => `out/${encodeURIComponent(database)}`,
};

/** Two spellings of an address are one ghost: case and a trailing slash do not tell hosts apart. */
function bareAddress(address: string): string {
  return address.toLowerCase().replace(/\/$/, '');
}

/** The drawing depends on what there is, not on the order in which it is told. */
function byName<Named extends { name: string }>(things: readonly Named[]): Named[] {
  return things.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** The drawing of an estate in which some instances are folded; by default none is. */
export function buildGraph(estate: Estate, isFolded: (instance: string) => boolean = () => false): Graph {
  const boxes = byName(estate.instances).map((instance) =>
    isFolded(instance.name) ? foldedBox(instance) : instanceBox(instance),
  );
  const graph: Graph = { instances: boxes, others: [], lines: [] };
  const drawn = new Set<string>();
  const place = (box: SmallBox) => {
    if (!drawn.has(box.id)) {
      drawn.add(box.id);
      graph.others.push(box);
    }
    return box.id;
  };
  for (const { instance, databases, isFolded: isOne } of boxes) {
    if (isOne) {
      graph.lines.push(...bundleLines(instance, place));
    }
    for (const { path, database } of databases) {
      for (const route of byName(database.routes)) {
        graph.lines.push(...routeLines(estate, instance, path, route, place));
      }
    }
  }
  return graph;
}

function foldedBox(instance: Instance): InstanceBox {
  return {
    kind: 'instance',
    id: ids.instance(instance.name),
    instance,
    width: sizes.cardWidth,
    height: sizes.header + sizes.summary,
    portY: sizes.header / 2,
    databases: [],
    isFolded: true,
  };
}

function instanceBox(instance: Instance): InstanceBox {
  const databases: DatabaseBox[] = [];
  let y = sizes.header + sizes.padding;
  for (const database of gateFirst(instance.databases)) {
    const box = databaseBox(instance.name, database, y);
    databases.push(box);
    y += box.height + sizes.gap;
  }
  const gate = databases.find((box) => box.isGate);
  return {
    kind: 'instance',
    id: ids.instance(instance.name),
    instance,
    width: sizes.cardWidth,
    height: y - sizes.gap + sizes.padding,
    portY: gate === undefined ? sizes.header / 2 : gate.y + sizes.databaseHead / 2,
    databases,
    isFolded: false,
  };
}

function gateFirst(databases: readonly Database[]): Database[] {
  return byName(databases).toSorted(
    (one, other) => Number(other.name === gateDatabase) - Number(one.name === gateDatabase),
  );
}

function databaseBox(instance: string, database: Database, y: number): DatabaseBox {
  const isGate = database.name === gateDatabase;
  const catchAll = database.routes.find(isLocalCatchAll) ?? null;
  const local = byName(database.routes).filter((route) => route.address_kind === 'local' && route !== catchAll);
  const services = shown(database.services, servicesShown);
  const localRoutes = shown(local, localRoutesShown);
  const lines = lineCount(services) + lineCount(localRoutes);
  // The gate sits on the card's left edge: what arrives comes in there.
  const x = isGate ? 0 : sizes.padding;
  return {
    id: ids.database({ instance, database: database.name }),
    path: { instance, database: database.name },
    database,
    isGate,
    x,
    y,
    width: sizes.cardWidth - sizes.padding - x,
    height: sizes.databaseHead + (lines === 0 ? 0 : lines * sizes.line + sizes.databasePadding),
    services: services.first,
    servicesHidden: services.hidden,
    localRoutes: localRoutes.first,
    localRoutesHidden: localRoutes.hidden,
    catchAll,
  };
}

function isLocalCatchAll(route: Route): boolean {
  return (
    route.address_kind === 'local' && route.service_name === null && route.broker_instance === null && !route.is_expired
  );
}

type Shown<T> = { first: T[]; hidden: number };

/** The first `most`, unless only one more would be hidden: a line saying "1 more" is no shorter than the one. */
function shown<T>(all: readonly T[], most: number): Shown<T> {
  const first = all.length <= most + 1 ? [...all] : all.slice(0, most);
  return { first, hidden: all.length - first.length };
}

function lineCount(list: Shown<unknown>): number {
  return list.first.length + (list.hidden > 0 ? 1 : 0);
}

function routeLines(
  estate: Estate,
  instance: Instance,
  path: DatabasePath,
  route: Route,
  place: (box: SmallBox) => string,
): RouteLine[] {
  if (route.address_kind === 'local') {
    return [];
  }
  const id = ids.route(path, route.name);
  const start = { source: ids.instance(instance.name), sourcePort: ids.portOut(path.database) };
  const label = routeLabel(route);
  if (route.address_kind === 'transport') {
    const target = place({ kind: 'transport', id: `transport/${id}`, text: '', width: 116, height: 30 });
    return [{ kind: 'route', id, path, route, part: 'whole', ...start, target, targetPort: ids.portIn, label }];
  }
  const first = targetOf(route.target_instance, route.address, place);
  if (route.mirror_address === null) {
    return [{ kind: 'route', id, path, route, part: 'whole', ...start, target: first, targetPort: ids.portIn, label }];
  }
  const second = targetOf(route.mirror_target_instance, route.mirror_address, place);
  const fork = place({ kind: 'fork', id: `fork/${id}`, text: '', width: sizes.fork, height: sizes.fork });
  const prong = {
    kind: 'route' as const,
    path,
    route,
    source: fork,
    sourcePort: 'fork',
    targetPort: ids.portIn,
    label: null,
  };
  const firstIsPrincipal = principalOf(estate, route) !== route.mirror_target_instance;
  return [
    { kind: 'route', id, path, route, part: 'stem', ...start, target: fork, targetPort: ids.portIn, label },
    { ...prong, id: `${id}#address`, part: firstIsPrincipal ? 'principal' : 'mirror', target: first },
    { ...prong, id: `${id}#mirror`, part: firstIsPrincipal ? 'mirror' : 'principal', target: second },
  ];
}

/** One line to each instance, and one to all addresses of nobody together: they may be many. */
function bundleLines(instance: Instance, place: (box: SmallBox) => string): BundleLine[] {
  const bundles = new Map<string | null, Map<Layer, RouteCount>>();
  const add = (target: string | null, layer: Layer, isExpired: boolean) => {
    const found = bundles.get(target) ?? new Map<Layer, RouteCount>();
    const { routes, expired } = found.get(layer) ?? { routes: 0, expired: 0 };
    bundles.set(target, found.set(layer, { routes: routes + 1, expired: expired + Number(isExpired) }));
  };
  for (const database of instance.databases) {
    for (const route of database.routes) {
      const layer = layerOf(database.name, route);
      if (route.address_kind !== 'local') {
        add(route.target_instance, layer, route.is_expired);
      }
      if (route.mirror_address !== null) {
        add(route.mirror_target_instance, layer, route.is_expired);
      }
    }
  }
  const source = ids.instance(instance.name);
  return [...bundles].map(([target, layers]) => {
    const elsewhere = {
      kind: 'elsewhere',
      id: ids.elsewhere,
      text: i18n.t('topology:elsewhere'),
      width: sizes.ghostWidth,
      height: sizes.ghostHeight,
    } as const;
    const end = target === null ? place(elsewhere) : ids.instance(target);
    return {
      kind: 'bundle',
      id: ids.bundle(instance.name, target ?? ''),
      instance: instance.name,
      towards: target ?? i18n.t('topology:towardsNobody'),
      ...counted(layers),
      layers,
      source,
      sourcePort: ids.portOfAll,
      target: end,
      targetPort: ids.portIn,
    };
  });
}

/** How many routes a bundle has, and how it is labelled, without the `hidden` layers. */
export function counted(
  layers: BundleLine['layers'],
  hidden: Hidden = new Set(),
): Pick<BundleLine, 'routes' | 'expired' | 'label'> {
  const shown = [...layers].flatMap(([layer, count]) => (hidden.has(layer) ? [] : [count]));
  const routes = shown.reduce((sum, one) => sum + one.routes, 0);
  return { routes, expired: shown.reduce((sum, one) => sum + one.expired, 0), label: bundleLabel(routes) };
}

function targetOf(instance: string | null, address: string, place: (box: SmallBox) => string): string {
  if (instance !== null) {
    return ids.instance(instance);
  }
  return place({
    kind: 'ghost',
    id: ids.ghost(address),
    text: address,
    width: sizes.ghostWidth,
    height: sizes.ghostHeight,
  });
}

/** The instance that holds the principal copy of a mirrored route's database; null when the estate does not tell. */
export function principalOf(estate: Estate, route: Route): string | null {
  if (route.broker_instance === null) {
    return null;
  }
  const copies = databasesOfBroker(estate, route.broker_instance);
  return copies.find(({ value }) => value.state !== 'mirror')?.instance ?? null;
}
