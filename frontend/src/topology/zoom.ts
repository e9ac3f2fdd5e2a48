// How much a card tells at a zoom. Text is set so large at each level that it never falls below 11 pixels on screen.

export type ZoomLevel = 'chip' | 'card' | 'full';

export const zoomRange = { min: 0.25, card: 0.55, full: 0.76, max: 1.6 } as const;

export function zoomLevel(zoom: number): ZoomLevel {
  if (zoom < zoomRange.card) {
    return 'chip';
  }
  return zoom < zoomRange.full ? 'card' : 'full';
}
