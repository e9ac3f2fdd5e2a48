// The view in which a whole drawing is seen.
import { getViewportForBounds, type Viewport } from '@xyflow/react';

import { zoomRange } from '@/topology/zoom';

export type Frame = { width: number; height: number };
export type DrawingSize = { left: number; top: number; width: number; height: number };

/** Pixels left free around the drawing: the tools stand there. */
const margin = { top: 24, right: 20, bottom: 24, left: 56 } as const;

/** Pixels between what stands in the corner of the frame and its edges, and between that and a box. */
const cornerGap = 15;

/** The view in which the whole drawing is seen in a frame of so many pixels, never larger than life. */
export function fitted(drawing: DrawingSize, frame: Frame): Viewport {
  return fittedWithin(drawing, frame, margin);
}

/** The same with none of `boxes` below a legend in the upper right corner: the drawing makes room where it costs least. */
export function fittedBesideLegend(
  drawing: DrawingSize,
  frame: Frame,
  legend: Frame | null,
  boxes: readonly DrawingSize[],
): Viewport {
  const plain = fitted(drawing, frame);
  if (legend === null || !boxes.some((box) => isCovered(box, plain, frame, legend))) {
    return plain;
  }
  const below = fittedWithin(drawing, frame, { ...margin, top: legend.height + 2 * cornerGap });
  const beside = fittedWithin(drawing, frame, { ...margin, right: legend.width + 2 * cornerGap });
  return below.zoom >= beside.zoom ? below : beside;
}

function isCovered({ left, top, width }: DrawingSize, view: Viewport, frame: Frame, legend: Frame): boolean {
  return (
    (left + width) * view.zoom + view.x > frame.width - legend.width - 2 * cornerGap &&
    top * view.zoom + view.y < legend.height + 2 * cornerGap
  );
}

type Margin = Record<keyof typeof margin, number>;

function fittedWithin({ left, top, width, height }: DrawingSize, frame: Frame, free: Margin): Viewport {
  return getViewportForBounds({ x: left, y: top, width, height }, frame.width, frame.height, zoomRange.min, 1, {
    top: `${free.top}px`,
    right: `${free.right}px`,
    bottom: `${free.bottom}px`,
    left: `${free.left}px`,
  });
}

export type Box = { left: number; top: number; right: number; bottom: number };

/**
 * The view, moved just so far that a box is seen within what is free of the frame; smaller if it has no room, as long as
 * the boxes can be read. Where that does not suffice, `least` is moved into view instead.
 */
export function broughtIntoView({ whole, least }: { whole: Box; least: Box }, view: Viewport, room: Box): Viewport {
  const widest = (room.right - room.left) / (whole.right - whole.left || 1);
  const highest = (room.bottom - room.top) / (whole.bottom - whole.top || 1);
  const zoom = Math.min(view.zoom, widest, highest);
  const isReadable = zoom === view.zoom || zoom >= zoomRange.card;
  const box = isReadable ? whole : least;
  const factor = isReadable ? zoom : view.zoom;
  // What is drawn smaller shrinks towards the middle of the box.
  const x = view.x + ((box.left + box.right) / 2) * (view.zoom - factor);
  const y = view.y + ((box.top + box.bottom) / 2) * (view.zoom - factor);
  return {
    x: x + shift(box.left * factor + x, box.right * factor + x, room.left, room.right),
    y: y + shift(box.top * factor + y, box.bottom * factor + y, room.top, room.bottom),
    zoom: factor,
  };
}

/** How far to move so that what lies from `start` to `end` is within the room; its beginning where it is too large. */
function shift(start: number, end: number, from: number, to: number): number {
  // Of what is scaled to the room exactly, rounding leaves a difference.
  const slack = 0.01;
  if (start < from - slack) {
    // What is larger than the room, and fills it, is as well in view as it can be.
    return end > to + slack ? 0 : from - start;
  }
  return end > to + slack ? Math.max(to - end, from - start) : 0;
}
