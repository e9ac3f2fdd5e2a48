import { describe, expect, it } from 'vitest';

import { flowsOf, noMemory, observe, unknownFlow, type Connection, type Flow } from '@/live/flows';
import type { RouteUse } from '@/live/summary';
import { emptyTable } from '@/live/tables';
import { demoEstate, route, routeTo } from '@/testing/demo-estate';
import { databaseSummary, instanceSummary } from '@/testing/summaries';
import { buildGraph, ids } from '@/topology/graph';

import { connectionsOf, flowKey, flowOfLine, flowOfRoute, largestRate, routeKey, routesOf } from './line-flows';

const names = [
  'instance_name',
  'address',
  'peer_instance',
  'state_desc',
  'is_send_flow_controlled',
  'total_fragments_sent',
  'total_bytes_sent',
  'error',
  'detail',
  'conversations',
];

function table(...rows: unknown[][]) {
  return {
    ...emptyTable,
    columns: names.map((name) => ({ name, type: 'sysname', nullable: true, is_vendors: true })),
    keys: rows.map((_, at) => `key ${at}`),
    rows,
  };
}

const estate = demoEstate();
const ventes = { instance: 'PARIS', database: 'Ventes' };
const toLyon = flowKey('PARIS', ids.instance('LYON'));
const goes = (rate: number, more: Partial<Flow> = {}): Flow => ({
  rate,
  bytesRate: rate * 100,
  verdict: 'delivered',
  error: null,
  detail: '',
  ...more,
});
const known = (...flows: [key: string, flow: Flow][]) => ({ flows: new Map(flows), unknown: new Set<string>() });

describe('the rows of connections', () => {
  it('are flows to whoever is there, whichever side has opened them', () => {
    const found = connectionsOf(
      estate,
      table(
        ['PARIS', 'TCP://lyon:4022', 'LYON', 'LOGGED_IN', false, 7, 700, null, null, 2],
        ['PARIS', null, 'LYON', 'LOGGED_IN', true, 3, 300, null, null, 0],
      ),
    );
    expect(found.map(({ flow }) => flow)).toEqual([toLyon, toLyon]);
    expect(found[0]).toMatchObject({
      key: 'key 0',
      messages: 7,
      bytes: 700,
      isLoggedIn: true,
      isHeld: false,
      conversations: 2,
    });
    expect(found[1]).toMatchObject({ isHeld: true });
  });

  it('are told by the address where nobody has answered, and by nobody where a stranger has called', () => {
    const found = connectionsOf(
      estate,
      table(
        ['PARIS', 'TCP://LYON:4022', null, 'CLOSED', null, null, null, 9754, 'refused', 1],
        ['PARIS', 'TCP://partenaire.example:4022', null, 'CLOSED', null, null, null, 9754, '', 1],
        ['PARIS', null, 'ELSEWHERE', 'LOGGED_IN', false, 1, 1, null, null, 0],
      ),
    );
    expect(found.map(({ flow, error }) => [flow, error])).toEqual([
      [toLyon, 9754],
      [flowKey('PARIS', ids.ghost('tcp://partenaire.example:4022')), 9754],
    ]);
  });
});

describe('what goes over a line', () => {
  const line = (graph: ReturnType<typeof buildGraph>, wanted: RegExp) => {
    const found = graph.lines.find(({ id }) => wanted.test(id));
    if (found === undefined) {
      throw new Error(`no line ${wanted.source}`);
    }
    return found;
  };
  const unfolded = buildGraph(estate);
  const folded = buildGraph(estate, () => true);

  it('is that of its own route, whatever goes over the connection to where it ends', () => {
    const own = routeKey(ventes, 'VersLyon');
    expect(flowOfLine(known([toLyon, goes(50)], [own, goes(5)]), line(unfolded, /VersLyon$/))?.rate).toBe(5);
    expect(flowOfLine(known([toLyon, goes(50)]), line(unfolded, /VersLyon$/))).toBeNull();
  });

  it('of a mirrored route is on its stem, and on the prong whose connection is used or tried', () => {
    const idle = goes(0, { verdict: 'idle' });
    const one = known(
      [routeKey(ventes, 'VersStock'), goes(5)],
      [toLyon, goes(9)],
      [flowKey('PARIS', ids.instance('BERLIN')), idle],
    );
    expect(flowOfLine(one, line(unfolded, /VersStock$/))?.rate).toBe(5);
    expect(flowOfLine(one, line(unfolded, /VersStock#mirror$/))?.rate).toBe(5);
    expect(flowOfLine(one, line(unfolded, /VersStock#address$/))).toBeNull();
  });

  it('is nothing over a route that has expired', () => {
    expect(flowOfLine(known([toLyon, goes(5)]), line(unfolded, /AncienneRoute$/))).toBeNull();
  });

  it('of a folded instance is that to each other, and to all addresses of nobody together', () => {
    const ghosts = known(
      [flowKey('PARIS', ids.ghost('TCP://a:1')), goes(1)],
      [flowKey('PARIS', ids.ghost('TCP://b:1')), goes(2)],
      [flowKey('LYON', ids.ghost('TCP://c:1')), goes(4)],
      [toLyon, goes(8)],
    );
    const of = (target: string) => flowOfLine(ghosts, line(folded, new RegExp(`^bundle/PARIS/${target}$`)));
    expect([of('')?.rate, of('LYON')?.rate]).toEqual([3, 8]);
  });

  it('is unknown, never good, while the sender does not answer', () => {
    const silent = { flows: new Map([[toLyon, goes(5)]]), unknown: new Set(['PARIS']) };
    expect(flowOfLine(silent, line(unfolded, /VersLyon$/))).toEqual(unknownFlow);
    expect(flowOfLine({ ...silent, flows: null }, line(unfolded, /VersLyon$/))).toBeNull();
  });

  it('is measured by the largest of those that say how it is now', () => {
    const all = known(
      [toLyon, goes(5)],
      [flowKey('LYON', ids.instance('PARIS')), goes(90)],
      [flowKey('HUB', ids.instance('PARIS')), { ...unknownFlow }],
    );
    expect([largestRate(all), largestRate({ ...all, unknown: new Set(['LYON']) }), largestRate(known())]).toEqual([
      90, 5, 0,
    ]);
  });

  it('is nobody’s to say where the service names the next hop, or the route stays at home', () => {
    const all = known([routeKey(ventes, 'Là'), goes(5)]);
    expect(flowOfRoute(all, ventes, route('Ici'))).toBeNull();
    expect(
      flowOfRoute(all, ventes, route('Plus loin', { address: 'TRANSPORT', address_kind: 'transport' })),
    ).toBeNull();
    expect(flowOfRoute(all, ventes, routeTo('Là', 'LYON'))?.rate).toBe(5);
  });
});

describe('the traffic of routes', () => {
  const usage = (more: Partial<RouteUse> = {}): RouteUse => ({
    route: 'VersLyon',
    conversations: 0,
    messages: 0,
    blocked: 0,
    number: null,
    oldest: null,
    delivered: 0,
    ...more,
  });
  const busy: Connection = {
    key: 'c',
    flow: toLyon,
    messages: 0,
    bytes: 0,
    error: null,
    detail: '',
    isLoggedIn: true,
    isHeld: false,
    conversations: 0,
  };
  /** Two samples two seconds apart, over a connection that carries ten messages between them. */
  const verdictOf = (name: string, before: RouteUse[], after: RouteUse[], shared: Partial<Connection> = {}) => {
    const sample = (uses: RouteUse[], messages: number) => {
      const connections = [{ ...busy, messages, ...shared }];
      const summaries = [instanceSummary('PARIS', [databaseSummary('Ventes', { routes: uses })])];
      return [...connections, ...routesOf(estate, summaries, connections, 1000)];
    };
    const last = sample(after, 10);
    const memory = observe(observe(noMemory, sample(before, 0), 0), last, 2000);
    return flowsOf(memory, last).get(routeKey(ventes, name))?.verdict;
  };

  it('is delivered only for the route whose messages arrived, from its first message on', () => {
    expect(verdictOf('VersLyon', [], [usage({ delivered: 1 })])).toBe('delivered');
    expect(verdictOf('VersStock', [], [usage({ delivered: 1 })])).toBe('idle');
    expect(verdictOf('VersLyon', [usage({ delivered: 7 })], [usage({ delivered: 7 })])).toBe('idle');
  });

  it('is in trouble where messages wait for a reason that has a number, and nowhere else', () => {
    const waits = [usage({ messages: 3, blocked: 3, number: 9754, conversations: 1 })];
    expect(verdictOf('VersLyon', waits, waits, { error: 9754, isLoggedIn: false })).toBe('lost');
    expect(verdictOf('VersStock', waits, waits, { error: 9754, isLoggedIn: false })).toBe('idle');
    expect(verdictOf('VersLyon', waits, waits)).toBe('lost');
  });

  it('is delayed where messages wait without a number: for a connection held back, or a minute without an answer', () => {
    const waits = (oldest: number) => [usage({ messages: 1, conversations: 1, oldest })];
    expect(verdictOf('VersLyon', waits(999), waits(999))).toBe('idle');
    expect(verdictOf('VersLyon', waits(999), waits(999), { isHeld: true })).toBe('delayed');
    expect(verdictOf('VersLyon', waits(940), waits(940))).toBe('delayed');
    expect(verdictOf('VersLyon', [], [], { isHeld: true })).toBe('idle');
  });
});
