import { describe, expect, it } from 'vitest';

import { demoEstate, names, route, routeTo } from '@/testing/demo-estate';

import { applyChanges } from './apply-changes';
import type { TopologyChange } from './changes';
import { findRoute, instanceAt, routesTo } from './lookup';
import { neighbour } from './neighbour';
import { roundedPath } from './polyline';
import { emptyFields, fieldAt, fieldsOf, patchOf } from './route-clauses';
import { formatSelection, parseSelection, type Selection } from './selection';
import { brokerSuggestions, messageTypeSuggestions, serviceSuggestions } from './suggestions';
import { routeText } from './tsql-text';
import { matches, shortId, shortServiceName } from './words';

const scope = { instance: 'PARIS', database: 'Ventes' };
const estate = demoEstate();

describe('a change', () => {
  const added: TopologyChange = { type: 'route-added', scope, route: routeTo('Neu', 'HUB') };
  const replaced: TopologyChange = {
    type: 'route-replaced',
    scope,
    before: findRoute(estate, scope, 'VersLyon') ?? route('none'),
    after: routeTo('VersLyon', 'BERLIN'),
  };
  const removed: TopologyChange = { type: 'route-removed', scope, route: replaced.before };

  const routesOf = (changed: typeof estate) =>
    changed.instances.flatMap((one) => one.databases.flatMap((other) => other.routes));

  it('adds, replaces and removes exactly its route', () => {
    const all = routesOf(estate).length;
    expect(routesOf(applyChanges(estate, [added])).map((one) => one.name)).toContain('Neu');
    expect(routesOf(applyChanges(estate, [added]))).toHaveLength(all + 1);
    expect(findRoute(applyChanges(estate, [replaced]), scope, 'VersLyon')?.target_instance).toBe('BERLIN');
    expect(routesOf(applyChanges(estate, [replaced]))).toHaveLength(all);
    expect(findRoute(applyChanges(estate, [removed]), scope, 'VersLyon')).toBeUndefined();
    expect(routesOf(applyChanges(estate, [removed]))).toHaveLength(all - 1);
  });

  it('that is already in the estate changes nothing more', () => {
    const once = applyChanges(estate, [added]);
    expect(applyChanges(once, [added])).toEqual(once);
  });

  it('does not touch the estate it is laid over', () => {
    const copy = structuredClone(estate);
    applyChanges(estate, [added, removed]);
    expect(estate).toEqual(copy);
  });
});

describe('a selection', () => {
  it.each<Selection>([
    { kind: 'instance', instance: 'PARIS' },
    { kind: 'database', ...scope },
    { kind: 'service', ...scope, service: names.reception },
    { kind: 'route', ...scope, route: 'a/b ∗ %' },
    { kind: 'ghost', address: 'TCP://x:4022/' },
  ])('of a $kind survives the address bar', (selection) => {
    expect(parseSelection(formatSelection(selection))).toEqual(selection);
  });

  it.each([null, '', 'route', 'route/a/b', 'planet/mars', '%E0%A4%A'])('reads %j as nothing', (text) => {
    expect(parseSelection(text)).toBeNull();
  });
});

describe('names', () => {
  it('are shortened in the middle and keep their telling end', () => {
    expect(shortServiceName('//a/b', 20)).toBe('//a/b');
    expect(shortServiceName(names.reception, 17)).toBe('…/Réception');
    expect(shortServiceName(names.reception, 24)).toBe('//exemple.fr/…/Réception');
    for (const room of [8, 12, 20, 30]) {
      expect(shortServiceName(names.size, room).length).toBeLessThanOrEqual(room);
    }
    expect(shortId('81b10000-0000-4000-8000-00000000004f')).toBe('81b1…4f');
  });

  it('are found without their accents', () => {
    expect(matches('entrepot', ['Entrepôt'])).toBe(true);
    expect(matches('  ', ['anything'])).toBe(true);
    expect(matches('x', ['Entrepôt'])).toBe(false);
  });
});

describe('an address', () => {
  it('is that of the instance whose host name and port it has', () => {
    expect(instanceAt(estate, 'tcp://LYON:4022/')).toBe('LYON');
    expect(instanceAt(estate, 'TCP://lyon:4023')).toBeNull();
    expect(instanceAt(estate, 'LOCAL')).toBeNull();
  });

  it('is looked for among mirror addresses too', () => {
    expect(routesTo(estate, 'LYON').map(({ value }) => value.name)).toContain('VersStock');
  });
});

describe('a route form', () => {
  it('sends only the clauses that were changed', () => {
    const before = fieldsOf(routeTo('R', 'LYON', { expires_at: '2030-01-01T00:00:00Z' }), 0);
    expect(patchOf(before, { ...before, serviceName: 'S' })).toEqual({ service_name: 'S' });
    expect(patchOf(before, { ...before, lifetimeSeconds: '' })).toEqual({ lifetime_seconds: null });
    expect(patchOf(before, before)).toEqual({});
  });

  it('knows the server’s pointers to its fields', () => {
    expect(fieldAt('/mirror_address')).toBe('mirrorAddress');
    expect(fieldAt('/elsewhere')).toBeNull();
    expect(Object.keys(emptyFields)).toHaveLength(6);
  });

  it('proposes each service once with all its places, and the ids of the databases that host it', () => {
    expect(serviceSuggestions(estate).find((one) => one.value === names.reception)?.note).toBe('LYON · Entrepôt');
    expect(brokerSuggestions(estate, '//beispiel.de/Lager/Bestand')).toEqual([
      { value: names.mirrorId, note: 'BERLIN · Lagerbestand' },
    ]);
  });

  it('proposes the message types that the contract lets this side send', () => {
    expect(messageTypeSuggestions(estate, scope, names.contract, true)).toEqual([names.messageType]);
    expect(messageTypeSuggestions(estate, scope, 'DEFAULT', true)).toEqual(['DEFAULT']);
  });
});

describe('the T-SQL of a route', () => {
  it('quotes what needs quoting', () => {
    const text = routeText('a]b', routeTo("x'y", 'LYON', { service_name: "l'entrepôt" }), new Date(0));
    expect(text).toBe(
      "USE [a]]b];\nCREATE ROUTE [x'y] WITH\n    SERVICE_NAME = N'l''entrepôt',\n    ADDRESS = N'TCP://lyon:4022';",
    );
  });

  it('counts the lifetime from now', () => {
    const text = routeText('d', route('r', { expires_at: '1970-01-01T00:10:00Z' }), new Date(0));
    expect(text).toContain('LIFETIME = 600');
  });
});

describe('arrow keys', () => {
  const boxes = [
    { id: 'here', centre: { x: 0, y: 0 } },
    { id: 'right', centre: { x: 100, y: 10 } },
    { id: 'far right', centre: { x: 300, y: 0 } },
    { id: 'below', centre: { x: 20, y: 100 } },
  ];
  const here = { id: 'here', centre: { x: 0, y: 0 } };

  it('go to the nearest box that way, and nowhere when there is none', () => {
    expect(neighbour(boxes, here, 'right')).toBe('right');
    expect(neighbour(boxes, here, 'down')).toBe('below');
    expect(neighbour(boxes, here, 'left')).toBeNull();
  });
});

describe('a line', () => {
  it('turns its corners round, within half of each leg', () => {
    expect(
      roundedPath(
        [
          { x: 0, y: 0 },
          { x: 10, y: 0 },
          { x: 10, y: 40 },
        ],
        12,
      ),
    ).toBe('M 0 0 L 5 0 Q 10 0 10 12 L 10 40');
    expect(roundedPath([], 12)).toBe('');
  });
});
