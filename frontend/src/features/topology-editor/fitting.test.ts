import { describe, expect, it } from 'vitest';

import type { Viewport } from '@xyflow/react';

import { broughtIntoView, fitted, fittedBesideLegend, type DrawingSize } from './fitting';

const frame = { width: 1320, height: 490 };
const legend = { width: 360, height: 80 };
const drawing: DrawingSize = { left: 0, top: 0, width: 640, height: 440 };
const corner: DrawingSize = { left: 440, top: 6, width: 200, height: 130 };

describe('a drawing with a legend in the corner of its frame', () => {
  it('stands as without it when no box is below it', () => {
    const low = { ...corner, top: 300 };
    expect(fittedBesideLegend(drawing, frame, legend, [low])).toEqual(fitted(drawing, frame));
    expect(fittedBesideLegend(drawing, frame, null, [corner])).toEqual(fitted(drawing, frame));
    const narrow = { ...frame, width: 2400 };
    expect(fittedBesideLegend(drawing, narrow, legend, [corner])).toEqual(fitted(drawing, narrow));
  });

  it.each([
    ['beside it', { width: 1000, height: 490 }, drawing],
    ['below it', { width: 1000, height: 900 }, { ...drawing, width: 1400 }],
  ])('makes room %s, and is no smaller than it must be', (_where, narrow, size) => {
    const box = { ...corner, left: size.width - 200 };
    const view = fittedBesideLegend(size, narrow, legend, [box]);
    const right = (box.left + box.width) * view.zoom + view.x;
    const top = box.top * view.zoom + view.y;
    expect(right <= narrow.width - legend.width || top >= legend.height).toBe(true);
    expect(view.zoom).toBeLessThanOrEqual(1);
    expect(view.zoom).toBeGreaterThan(0.5);
  });
});

describe('what is selected', () => {
  const room = { left: 56, top: 24, right: 776, bottom: 676 };
  const seen = (box: { left: number; top: number; right: number; bottom: number }, { x, y, zoom }: Viewport) => [
    box.left * zoom + x >= room.left - 1,
    box.right * zoom + x <= room.right + 1,
    box.top * zoom + y >= room.top - 1,
    box.bottom * zoom + y <= room.bottom + 1,
  ];
  const all = [true, true, true, true];
  const label = { left: 400, top: 300, right: 480, bottom: 320 };

  it('does not move a view in which it is seen', () => {
    const view = { x: 0, y: 0, zoom: 1 };
    expect(broughtIntoView({ whole: label, least: label }, view, room)).toEqual(view);
  });

  it('is moved into view, and drawn smaller only where it has no room', () => {
    const far = { left: 700, top: 600, right: 900, bottom: 700 };
    const moved = broughtIntoView({ whole: far, least: far }, { x: 0, y: 0, zoom: 1 }, room);
    expect(moved.zoom).toBe(1);
    expect(seen(far, moved)).toEqual(all);
    const wide = { left: 0, top: 100, right: 1100, bottom: 600 };
    const smaller = broughtIntoView({ whole: wide, least: label }, { x: 0, y: 0, zoom: 1 }, room);
    expect(smaller.zoom).toBeCloseTo(720 / 1100);
    expect(seen(wide, smaller)).toEqual(all);
  });

  it('is its label where both ends could not be read', () => {
    const huge = { left: 0, top: 0, right: 6000, bottom: 300 };
    const far = { left: 3000, top: 100, right: 3100, bottom: 120 };
    const moved = broughtIntoView({ whole: huge, least: far }, { x: 0, y: 0, zoom: 0.8 }, room);
    expect(moved.zoom).toBe(0.8);
    expect(seen(far, moved)).toEqual(all);
  });
});
