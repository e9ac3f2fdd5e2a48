// The estate as an outline: the drawing's equal twin for keyboards, screen readers and whoever prefers to read. It is a
// list of rows already, so that a table of any length needs only those in view.
import type { Database, Estate, Instance } from '@/contracts/api';
import { i18n } from '@/i18n';

import { ids } from './graph';
import { layerOf, type Hidden, type Layer } from './layers';
import { gateDatabase } from './lookup';
import type { DatabasePath, Selection } from './selection';
import { matches, shortId } from './words';

export type OutlineKind = 'instance' | 'database' | 'service' | 'route';

export type OutlineRow = {
  id: string;
  kind: OutlineKind;
  /** 1 for instances, 2 for databases, 3 for what is in them. */
  level: number;
  name: string;
  /** What the row is about in a few words: where a route leads, on which queue a service stands. */
  about: string;
  selection: Selection;
  /** Null for what has nothing within. */
  isOpen: boolean | null;
  /** Where it stands among its siblings, from 1, and how many they are. */
  position: number;
  siblings: number;
  parent: string | null;
  isStruck: boolean;
};

type Branch = {
  row: Omit<OutlineRow, 'position' | 'siblings' | 'isOpen' | 'level'>;
  /** What it is found by. */
  words: readonly string[];
  children: () => Branch[];
};

/**
 * The rows of an estate of which `open` are unfolded. With `wanted`, only what is called so, with everything above it
 * unfolded and, below what is found itself, nothing hidden. Without it, services and routes of `hidden` layers are left
 * out.
 */
export function outlineRows(
  estate: Estate,
  open: ReadonlySet<string>,
  wanted: string,
  hidden: Hidden = new Set(),
): OutlineRow[] {
  const left = wanted.trim() === '' ? hidden : new Set<Layer>();
  const roots = byName(estate.instances).map((instance) => instanceBranch(instance, left));
  const rows: OutlineRow[] = [];
  const sought = wanted.trim();
  add(rows, sought === '' ? roots : roots.flatMap((root) => found(root, sought)), 1, sought === '' ? open : null);
  return rows;
}

function add(rows: OutlineRow[], branches: readonly Branch[], level: number, open: ReadonlySet<string> | null): void {
  branches.forEach(({ children, row }, index) => {
    const within = children();
    const isOpen = within.length === 0 ? null : open === null || open.has(row.id);
    rows.push({ ...row, level, isOpen, position: index + 1, siblings: branches.length });
    if (isOpen === true) {
      add(rows, within, level + 1, open);
    }
  });
}

/** The branch cut down to what is called `wanted`; a branch that is called so itself stays whole, folded by nobody. */
function found(branch: Branch, wanted: string): Branch[] {
  if (matches(wanted, branch.words)) {
    return [branch];
  }
  const within = branch.children().flatMap((child) => found(child, wanted));
  return within.length === 0 ? [] : [{ ...branch, children: () => within }];
}

function instanceBranch(instance: Instance, hidden: Hidden): Branch {
  const id = ids.instance(instance.name);
  return {
    row: {
      id,
      kind: 'instance',
      name: instance.name,
      about: endpointWords(instance.endpoint),
      selection: { kind: 'instance', instance: instance.name },
      parent: null,
      isStruck: false,
    },
    words: [instance.name, ...instance.host_names],
    children: () =>
      byName(instance.databases)
        .toSorted((one, other) => Number(other.name === gateDatabase) - Number(one.name === gateDatabase))
        .map((database) => databaseBranch({ instance: instance.name, database: database.name }, database, id, hidden)),
  };
}

function endpointWords(endpoint: Instance['endpoint']): string {
  if (endpoint === null) {
    return i18n.t('topology:outline.noEndpoint');
  }
  const { port, state, is_message_forwarding_enabled: forwards } = endpoint;
  return i18n.t(forwards ? 'topology:outline.forwards' : 'topology:outline.endpoint', { port: String(port), state });
}

function databaseBranch(path: DatabasePath, database: Database, parent: string, hidden: Hidden): Branch {
  const id = ids.database(path);
  const counts = { services: database.services.length, routes: database.routes.length };
  return {
    row: {
      id,
      kind: 'database',
      name: path.database,
      about: i18n.t(database.is_broker_enabled ? 'topology:outline.counts' : 'topology:outline.countsDisabled', counts),
      selection: { kind: 'database', ...path },
      parent,
      isStruck: false,
    },
    words: [path.database, database.broker_instance],
    children: () => [
      ...(hidden.has('services') ? [] : byName(database.services)).map((service) => serviceBranch(path, service, id)),
      ...byName(database.routes.filter((route) => !hidden.has(layerOf(path.database, route)))).map((route) =>
        routeBranch(path, route, id),
      ),
    ],
  };
}

function serviceBranch(path: DatabasePath, service: Database['services'][number], parent: string): Branch {
  return {
    row: {
      id: ids.service(path, service.name),
      kind: 'service',
      name: service.name,
      about: i18n.t('topology:outline.onQueue', { queue: service.queue }),
      selection: { kind: 'service', ...path, service: service.name },
      parent,
      isStruck: false,
    },
    words: [service.name, service.queue],
    children: () => [],
  };
}

function routeBranch(path: DatabasePath, route: Database['routes'][number], parent: string): Branch {
  return {
    row: {
      id: ids.route(path, route.name),
      kind: 'route',
      name: route.name,
      about: routeWords(route),
      selection: { kind: 'route', ...path, route: route.name },
      parent,
      isStruck: route.is_expired,
    },
    words: [route.name, route.service_name ?? '', route.address, route.mirror_address ?? ''],
    children: () => [],
  };
}

function routeWords(route: Database['routes'][number]): string {
  const id = route.broker_instance === null ? '' : ` ${shortId(route.broker_instance)}`;
  const said = {
    service: `${route.service_name ?? '∗'}${id}`,
    address: bare(route.address),
    expired: route.is_expired ? 'yes' : 'no',
  };
  return route.mirror_address === null
    ? i18n.t('topology:outline.route', said)
    : i18n.t('topology:outline.mirroredRoute', { ...said, mirror: bare(route.mirror_address) });
}

function bare(address: string): string {
  return address.replace(/^tcp:\/\//i, '');
}

function byName<Named extends { name: string }>(things: readonly Named[]): Named[] {
  return things.toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

/** Every row above a selection, so that it can be unfolded into view. */
export function pathTo(selection: Selection): string[] {
  switch (selection.kind) {
    case 'instance':
    case 'ghost':
      return [];
    case 'database':
      return [ids.instance(selection.instance)];
    case 'service':
    case 'route':
      return [ids.instance(selection.instance), ids.database(selection)];
  }
}
