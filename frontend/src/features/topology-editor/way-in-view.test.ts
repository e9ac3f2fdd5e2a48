import { describe, expect, it } from 'vitest';

import type { PathHop, ShownPath } from '@/topology/path';

import { wayInView } from './way-in-view';

const hop = (number: number, instance: string, target: string): PathHop => ({
  number,
  instance,
  table: 'msdb',
  route: `route/${instance}/msdb/On`,
  target: `instance/${target}`,
});
const all = [hop(1, 'PARIS', 'HUB'), hop(2, 'HUB', 'BERLIN'), hop(3, 'BERLIN', 'BERLIN')];
const path = (now: number | null): ShownPath => ({
  hops: all.slice(0, now ?? all.length),
  all,
  now,
  losers: new Set(),
  end: { verdict: 'delivered', word: 'Delivered', boxes: ['instance/BERLIN'] },
});
const seen = (atMost: number) => (part: ShownPath) =>
  part.hops.length <= atMost && part.hops.every(({ target }) => atMost > 0 || target === null);

describe('a way that is brought into view', () => {
  it('is whole where the frame has room, however far one has gone along it', () => {
    expect(wayInView(path(1), seen(3))).toMatchObject({ part: { hops: all }, isLong: false });
  });

  it('is else the decision that is explained, with its line', () => {
    expect(wayInView(path(2), seen(1))).toEqual({ part: { ...path(2), hops: [all[1]], end: null }, isLong: true });
  });

  it('begins with the first decision while none is explained', () => {
    expect(wayInView(path(null), seen(1)).part.hops).toEqual([all[0]]);
  });

  it('is the place of the decision where not even its line has room', () => {
    const { part, isLong } = wayInView(path(2), seen(0));
    expect(isLong).toBe(true);
    expect(part.hops).toMatchObject([{ instance: 'HUB', table: 'msdb', target: null }]);
    expect(part.end).toBeNull();
  });
});
