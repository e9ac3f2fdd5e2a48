// An orthogonal line with rounded corners, as an SVG path.
import type { Point } from './layout';

export function roundedPath(points: readonly Point[], radius: number): string {
  const [first, ...rest] = points;
  if (first === undefined) {
    return '';
  }
  const parts = [`M ${first.x} ${first.y}`];
  rest.forEach((point, index) => {
    const before = points[index];
    const after = rest[index + 1];
    if (before === undefined || after === undefined) {
      parts.push(`L ${point.x} ${point.y}`);
      return;
    }
    const entry = towards(point, before, radius);
    const exit = towards(point, after, radius);
    parts.push(`L ${entry.x} ${entry.y} Q ${point.x} ${point.y} ${exit.x} ${exit.y}`);
  });
  return parts.join(' ');
}

/** The point `distance` from `from` on the way to `to`, but never past the middle. */
function towards(from: Point, to: Point, distance: number): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  if (length === 0) {
    return from;
  }
  const share = Math.min(distance, length / 2) / length;
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share };
}

/** The head of an arrow that ends at a point, coming from the left. */
export function arrowHead({ x, y }: Point): string {
  return `M ${x - 9} ${y - 5.5} L ${x} ${y} L ${x - 9} ${y + 5.5}`;
}
