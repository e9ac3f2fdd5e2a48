import { describe, expect, it } from 'vitest';

import { demoEstate, names } from '@/testing/demo-estate';

import { everyRoute, everyService } from './lookup';
import { outlineRows, pathTo } from './outline';
import { formatSelection } from './selection';

const estate = demoEstate();
const nothing: ReadonlySet<string> = new Set();
const everything = new Set(outlineRows(estate, nothing, '').flatMap(({ id }) => id));

/** Unfolds until nothing is left to unfold. */
function whole() {
  const open = new Set(everything);
  let rows = outlineRows(estate, open, '');
  for (
    let folded = rows.filter((row) => row.isOpen === false);
    folded.length > 0;
    folded = rows.filter((row) => row.isOpen === false)
  ) {
    for (const row of folded) {
      open.add(row.id);
    }
    rows = outlineRows(estate, open, '');
  }
  return rows;
}

describe('the outline of an estate', () => {
  it('begins with its instances, folded', () => {
    const rows = outlineRows(estate, nothing, '');
    expect(rows.map((row) => row.name)).toEqual(['BERLIN', 'HUB', 'LYON', 'PARIS']);
    expect(rows.every((row) => row.level === 1 && row.isOpen === false && row.siblings === 4)).toBe(true);
    expect(rows.map((row) => row.position)).toEqual([1, 2, 3, 4]);
  });

  it('unfolded, has every service and every route of the estate exactly once', () => {
    const rows = whole();
    const told = rows.map((row) => formatSelection(row.selection));
    expect(new Set(told).size).toBe(told.length);
    const routes = everyRoute(estate).map(({ value, ...path }) =>
      formatSelection({ kind: 'route', ...path, route: value.name }),
    );
    const services = everyService(estate).map(({ value, ...path }) =>
      formatSelection({ kind: 'service', ...path, service: value.name }),
    );
    expect(told).toEqual(expect.arrayContaining([...routes, ...services]));
    expect(rows.filter((row) => row.kind === 'route')).toHaveLength(routes.length);
  });

  it('unfolds the way to whatever is selected', () => {
    for (const { selection, id } of whole()) {
      expect(outlineRows(estate, new Set(pathTo(selection)), '').map((row) => row.id)).toContain(id);
    }
  });

  it('finds a service without its accents, under everything that it is in', () => {
    const rows = outlineRows(estate, nothing, 'reception');
    const found = rows.filter((row) => row.kind === 'service');
    expect(found.map((row) => row.name)).toContain(names.reception);
    for (const row of found) {
      const parent = rows.find((one) => one.id === row.parent);
      expect(parent?.kind).toBe('database');
      expect(rows.find((one) => one.id === parent?.parent)?.kind).toBe('instance');
    }
  });

  it('has no row when nothing is called so', () => {
    expect(outlineRows(estate, everything, 'no such thing')).toEqual([]);
  });
});
