// The legend of the live overlay stands upon the drawing: no box may be fitted in below it.
import { create } from 'zustand';

import type { Frame } from './fitting';

/** How large the legend is; null while it is not shown. */
export const useLegendRoom = create<{ size: Frame | null }>(() => ({ size: null }));

/** Whole pixels, since figures in it change by fractions of them. */
export function tellLegend(size: Frame | null): void {
  const told = size === null || size.width === 0 ? null : size;
  const rounded = told && { width: Math.ceil(told.width), height: Math.ceil(told.height) };
  const { size: known } = useLegendRoom.getState();
  if (known?.width !== rounded?.width || known?.height !== rounded?.height) {
    useLegendRoom.setState({ size: rounded });
  }
}
