// What goes over a line of the drawing: connections are between instances, so lines between the same two share what goes over them.
import type { Estate, Route } from '@/contracts/api';
import type { FlowStore } from '@/lib/flow-store';
import { together, unknownFlow, type Connection, type Flow } from '@/live/flows';
import { recordsOf, type Table } from '@/live/tables';
import { ids, type Line } from '@/topology/graph';
import { instanceAt } from '@/topology/lookup';

/** `target` is the id of the box where lines to it end. */
export function flowKey(instance: string, target: string): string {
  return `${instance}\n${target}`;
}

/** The rows of topic `connections`. */
export function connectionsOf(estate: Estate, table: Table): Connection[] {
  const names = new Set(estate.instances.map(({ name }) => name));
  return recordsOf(table).flatMap((row, at): Connection[] => {
    const [instance, peer, address] = [row.instance_name as string, row.peer_instance as string | null, row.address as string | null];
    const known = peer !== null && names.has(peer) ? peer : address === null ? null : instanceAt(estate, address);
    if (known === null && address === null) {
      // Somebody of another estate has called.
      return [];
    }
    return [
      {
        key: table.keys[at] ?? '',
        flow: flowKey(instance, known === null ? ids.ghost(address ?? '') : ids.instance(known)),
        messages: (row.total_fragments_sent as number | null) ?? 0,
        bytes: (row.total_bytes_sent as number | null) ?? 0,
        error: row.error as number | null,
        detail: (row.detail as string | null) ?? '',
        isLoggedIn: row.state_desc === 'LOGGED_IN',
        isHeld: row.is_send_flow_controlled === true || row.is_send_flow_controlled === 1,
        conversations: row.conversations as number,
      },
    ];
  });
}

type Known = Pick<FlowStore, 'flows' | 'unknown'>;

/** What goes over a line; null where nothing does, or nobody can say: over an expired route, or where the service names the next hop. */
export function flowOfLine(known: Known, line: Line): Flow | null {
  if (line.kind === 'bundle') {
    return flowTo(known, line.instance, line.target === ids.elsewhere ? ghosts(known, line.instance) : [line.target]);
  }
  const { path, route, part, target } = line;
  return part === 'principal' || part === 'mirror' ? (carries(route) ? flowTo(known, path.instance, [target]) : null) : flowOfRoute(known, path.instance, route);
}

/** The same of a route of an instance: of a mirrored one, to both of its addresses. */
export function flowOfRoute(known: Known, instance: string, route: Route): Flow | null {
  const { target_instance: target, address, mirror_target_instance: mirrorTarget, mirror_address: mirror } = route;
  return carries(route) ? flowTo(known, instance, [end(target, address), ...(mirror === null ? [] : [end(mirrorTarget, mirror)])]) : null;
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
  return [...(flows?.keys() ?? [])].flatMap((key) => (key.startsWith(start + ids.ghost('')) ? [key.slice(start.length)] : []));
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
