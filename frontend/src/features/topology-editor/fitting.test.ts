import { describe, expect, it } from 'vitest';

import { fitted, fittedBesideLegend, type DrawingSize } from './fitting';

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
