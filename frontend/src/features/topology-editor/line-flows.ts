// What goes over a line of the drawing: connections are between instances, so lines between the same two share what
// goes over them.
import type { Estate, Route } from '@/contracts/api';
import type { Cell } from '@/contracts/live-messages';
import type { FlowStore } from '@/lib/flow-store';
import { together, unknownFlow, type Connection, type Flow } from '@/live/flows';
import type { Table } from '@/live/tables';
import { ids, type Line } from '@/topology/graph';
import { instanceAt } from '@/topology/lookup';

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
  return part === 'principal' || part === 'mirror'
    ? carries(route)
      ? flowTo(known, path.instance, [target])
      : null
    : flowOfRoute(known, path.instance, route);
}

/** The same of a route of an instance: of a mirrored one, to both of its addresses. */
export function flowOfRoute(known: Known, instance: string, route: Route): Flow | null {
  const { target_instance: target, address, mirror_target_instance: mirrorTarget, mirror_address: mirror } = route;
  return carries(route)
    ? flowTo(known, instance, [end(target, address), ...(mirror === null ? [] : [end(mirrorTarget, mirror)])])
    : null;
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
