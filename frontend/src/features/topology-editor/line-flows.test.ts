import { describe, expect, it } from 'vitest';

import { unknownFlow, type Flow } from '@/live/flows';
import { emptyTable } from '@/live/tables';
import { demoEstate, route, routeTo } from '@/testing/demo-estate';
import { buildGraph, ids } from '@/topology/graph';

import { connectionsOf, flowKey, flowOfLine, flowOfRoute, largestRate } from './line-flows';

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

  it('is that of the connection to where it ends', () => {
    expect(flowOfLine(known([toLyon, goes(5)]), line(unfolded, /VersLyon$/))?.rate).toBe(5);
    expect(
      flowOfLine(known([flowKey('LYON', ids.instance('PARIS')), goes(5)]), line(unfolded, /VersLyon$/)),
    ).toBeNull();
  });

  it('of a mirrored route is both on its stem, and one on each prong', () => {
    const both = known([toLyon, goes(5)], [flowKey('PARIS', ids.instance('BERLIN')), goes(2, { verdict: 'lost' })]);
    expect(flowOfLine(both, line(unfolded, /VersStock$/))).toMatchObject({ rate: 7, verdict: 'lost' });
    expect(flowOfLine(both, line(unfolded, /VersStock#mirror$/))?.rate).toBe(5);
    expect(flowOfLine(both, line(unfolded, /VersStock#address$/))?.rate).toBe(2);
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
    const all = known([toLyon, goes(5)]);
    expect(flowOfRoute(all, 'PARIS', route('Ici'))).toBeNull();
    expect(
      flowOfRoute(all, 'PARIS', route('Plus loin', { address: 'TRANSPORT', address_kind: 'transport' })),
    ).toBeNull();
    expect(flowOfRoute(all, 'PARIS', routeTo('Là', 'LYON'))?.rate).toBe(5);
  });
});
