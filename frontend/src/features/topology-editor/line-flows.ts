// Traffic of a line of the map: a line of a route shows the messages of that route, a line of a folded instance those of
// the connection to where it ends.
import type { Estate, Route } from '@/contracts/api';
import type { Cell } from '@/contracts/live-messages';
import type { FlowStore } from '@/lib/flow-store';
import { together, unknownFlow, type Connection, type Flow } from '@/live/flows';
import type { InstanceSummary, RouteUse } from '@/live/summary';
import type { Table } from '@/live/tables';
import { ids, type Line } from '@/topology/graph';
import { instanceAt } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';

/** `target` is the id of the box where lines to it end. */
export function flowKey(instance: string, target: string): string {
  return `${instance}\n${target}`;
}

const columns = [
  'instance_name',
  'peer_instance',
  'address',
  'state_desc',
  'is_send_flow_controlled',
  'error',
  'detail',
  'conversations',
  'total_fragments_sent',
  'total_bytes_sent',
] as const;

/** The rows of topic `connections`. */
export function connectionsOf(estate: Estate, table: Table): Connection[] {
  const names = new Set(estate.instances.map(({ name }) => name));
  const places = columns.map((wanted) => table.columns.findIndex(({ name }) => name === wanted));
  return table.rows.flatMap((cells, row): Connection[] => {
    const [instance, peerName, address, state, isHeld, error, detail, conversations, messages, bytes] = places.map(
      (place) => cells[place],
    );
    const [peer, called] = [textOf(peerName), textOf(address)];
    const known = peer !== null && names.has(peer) ? peer : called === null ? null : instanceAt(estate, called);
    if (known === null && called === null) {
      // Somebody of another estate has called.
      return [];
    }
    return [
      {
        key: table.keys[row] ?? '',
        flow: flowKey(textOf(instance) ?? '', known === null ? ids.ghost(called ?? '') : ids.instance(known)),
        messages: numberOf(messages),
        bytes: numberOf(bytes),
        error: typeof error === 'number' ? error : null,
        detail: textOf(detail) ?? '',
        isLoggedIn: state === 'LOGGED_IN',
        isHeld: isHeld === true || isHeld === 1,
        conversations: numberOf(conversations),
      },
    ];
  });
}

/** A message that waits so long without an acknowledgement holds its route up. */
const lateSeconds = 60;

/**
 * Each route over the network as if it had a connection of its own, by what its instance says of the messages that take
 * it. Held back: by the connection that it shares, or because its messages are not acknowledged. `now` is in seconds.
 */
export function routesOf(
  estate: Estate,
  summaries: readonly InstanceSummary[],
  connections: readonly Connection[],
  now: number,
): Connection[] {
  const shared = new Map<string, Connection[]>();
  for (const connection of connections) {
    shared.set(connection.flow, [...(shared.get(connection.flow) ?? []), connection]);
  }
  const databases = new Map(estate.instances.map(({ name, databases: all }) => [name, all]));
  return summaries.flatMap((instance) =>
    instance.databases.flatMap((summary) => {
      const uses = new Map((summary.routes ?? []).map((use) => [use.route, use]));
      const routes = databases.get(instance.name)?.find(({ name }) => name === summary.name)?.routes ?? [];
      return routes.filter(carries).map((route): Connection => {
        const use = uses.get(route.name);
        const key = routeKey({ instance: instance.name, database: summary.name }, route.name);
        const own = targetsOf(route).flatMap((target) => shared.get(flowKey(instance.name, target)) ?? []);
        const waits = use !== undefined && use.messages > 0;
        return {
          key,
          flow: key,
          messages: use?.delivered ?? 0,
          bytes: 0,
          error: use !== undefined && use.blocked > 0 ? use.number : null,
          detail: '',
          isLoggedIn: !waits || own.every(({ isLoggedIn }) => isLoggedIn),
          isHeld: waits && (isLate(use, now) || own.some(({ isHeld }) => isHeld)),
          conversations: use?.conversations ?? 0,
        };
      });
    }),
  );
}

function isLate({ oldest }: RouteUse, now: number): boolean {
  return oldest !== null && now - oldest >= lateSeconds;
}

/** The traffic of a route in the store. */
export function routeKey(path: DatabasePath, route: string): string {
  return flowKey(path.instance, ids.route(path, route));
}

function textOf(cell: Cell): string | null {
  return typeof cell === 'string' ? cell : null;
}

function numberOf(cell: Cell): number {
  return typeof cell === 'number' ? cell : 0;
}

type Known = Pick<FlowStore, 'flows' | 'unknown'>;

/** Of the instances that say how it is now. */
export function largestRate({ flows, unknown }: Known): number {
  const told = [...(flows ?? [])].filter(([key]) => !unknown.has(key.slice(0, key.indexOf('\n'))));
  return told.reduce((largest, [, { rate }]) => Math.max(largest, rate ?? 0), 0);
}

/**
 * What goes over a line; null where nothing does, or nobody can say: over an expired route, or where the service names
 * the next hop.
 */
export function flowOfLine(known: Known, line: Line): Flow | null {
  if (line.kind === 'bundle') {
    return flowTo(known, line.instance, line.target === ids.elsewhere ? ghosts(known, line.instance) : [line.target]);
  }
  const { path, route, part, target } = line;
  const flow = flowOfRoute(known, path, route);
  if (flow === null || flow.verdict === 'unknown' || (part !== 'principal' && part !== 'mirror')) {
    return flow;
  }
  // The messages of a mirrored route go to one of its two addresses: the one to which anything is sent or tried.
  const shared = flowTo(known, path.instance, [target]);
  return shared === null || (shared.verdict === 'idle' && (shared.rate ?? 0) === 0) ? null : flow;
}

/** The messages of a route of a database. */
export function flowOfRoute({ flows, unknown }: Known, path: DatabasePath, route: Route): Flow | null {
  if (flows === null || !carries(route)) {
    return null;
  }
  return unknown.has(path.instance) ? unknownFlow : (flows.get(routeKey(path, route.name)) ?? null);
}

/** The boxes where a route leads: of a mirrored one, two. */
function targetsOf(route: Route): string[] {
  const { target_instance: target, address, mirror_target_instance: mirrorTarget, mirror_address: mirror } = route;
  return [end(target, address), ...(mirror === null ? [] : [end(mirrorTarget, mirror)])];
}

function carries({ is_expired: isExpired, address_kind: kind }: Route): boolean {
  return !isExpired && kind === 'tcp';
}

function end(instance: string | null, address: string): string {
  return instance === null ? ids.ghost(address) : ids.instance(instance);
}

/** Every address of nobody that an instance calls: a folded one has one line to all of them. */
function ghosts({ flows }: Known, instance: string): string[] {
  const start = flowKey(instance, '');
  return [...(flows?.keys() ?? [])].flatMap((key) =>
    key.startsWith(start + ids.ghost('')) ? [key.slice(start.length)] : [],
  );
}

function flowTo({ flows, unknown }: Known, instance: string, targets: readonly string[]): Flow | null {
  if (flows === null) {
    return null;
  }
  if (unknown.has(instance)) {
    return unknownFlow;
  }
  const found = targets.flatMap((target) => flows.get(flowKey(instance, target)) ?? []);
  return found.length === 0 ? null : together(found);
}
