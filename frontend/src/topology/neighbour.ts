// Arrow keys on the canvas: the nearest box in a direction.
import type { Point } from './layout';

export type Direction = 'left' | 'right' | 'up' | 'down';

export type Placed = { id: string; centre: Point };

const unit: Record<Direction, Point> = {
  left: { x: -1, y: 0 },
  right: { x: 1, y: 0 },
  up: { x: 0, y: -1 },
  down: { x: 0, y: 1 },
};

/** The nearest of `boxes` that lies mainly in `direction` from `from`; sideways distance counts double. */
export function neighbour(boxes: readonly Placed[], from: Placed, direction: Direction): string | null {
  const { x, y } = unit[direction];
  let best: { id: string; cost: number } | null = null;
  for (const box of boxes) {
    const dx = box.centre.x - from.centre.x;
    const dy = box.centre.y - from.centre.y;
    const ahead = dx * x + dy * y;
    const aside = Math.abs(dx * y) + Math.abs(dy * x);
    if (box.id !== from.id && ahead > 0 && aside <= ahead * 2) {
      const cost = ahead + aside * 2;
      if (best === null || cost < best.cost) {
        best = { id: box.id, cost };
      }
    }
  }
  return best?.id ?? null;
}
