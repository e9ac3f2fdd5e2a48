// Lost flows by what decided them, so that many can be ticked in one step.
import type { DraftFlow } from '@/contracts/api';

/** Where a flow was decided before: a database, and the route in it; null where no route was needed. */
export type FlowGroup = { key: string; instance: string; database: string; route: string | null; rows: DraftFlow[] };

/** By database and route that decided before, in the order in which they come. */
export function byRoute(rows: readonly DraftFlow[]): FlowGroup[] {
  const groups = new Map<string, FlowGroup>();
  for (const row of rows) {
    const { instance, database } = row.question;
    const key = JSON.stringify([instance, database, row.before_route]);
    const group = groups.get(key) ?? { key, instance, database, route: row.before_route, rows: [] };
    group.rows.push(row);
    groups.set(key, group);
  }
  return [...groups.values()];
}

/** All of it, all of a database, all of a route: what can be ticked in one step, with what it would tick. */
export type Scope = { key: string; kind: 'all' | 'database' | 'route'; place: string; route: string; keys: string[] };

/** Scopes that hold flows which nobody has ticked; of scopes that hold the same flows the narrowest says most. */
export function scopesOf(rows: readonly DraftFlow[]): Scope[] {
  const open = rows.filter((row) => !row.is_intended);
  const databases = new Map<string, DraftFlow[]>();
  for (const row of open) {
    const place = `${row.question.instance} · ${row.question.database}`;
    databases.set(place, [...(databases.get(place) ?? []), row]);
  }
  const scopes: Scope[] = open.length === 0 ? [] : [scope('all', '', '', open)];
  for (const [place, flows] of databases) {
    if (databases.size > 1) {
      scopes.push(scope('database', place, '', flows));
    }
    const routes = byRoute(flows);
    if (routes.length > 1 || databases.size === 1) {
      scopes.push(...routes.map((group) => scope('route', place, group.route ?? '', group.rows)));
    }
  }
  return scopes;
}

function scope(kind: Scope['kind'], place: string, route: string, rows: readonly DraftFlow[]): Scope {
  return { key: JSON.stringify([kind, place, route]), kind, place, route, keys: rows.map(({ key }) => key) };
}
