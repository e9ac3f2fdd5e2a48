import { useCallback, useRef } from 'react';

import { tellLegend } from '../legend-room';

/** With the border and the padding of the legend around its lines. */
const around = { width: 22, height: 18 } as const;

/** Tells the drawing how much room a legend takes, without the words about what is selected, which come and go. */
export function useToldLegend() {
  const observer = useRef<ResizeObserver | null>(null);
  return useCallback((lines: HTMLElement | null) => {
    observer.current?.disconnect();
    observer.current = null;
    if (lines === null) {
      tellLegend(null);
      return;
    }
    observer.current = new ResizeObserver(() => {
      const { offsetWidth: width, offsetHeight: height } = lines;
      tellLegend({ width: width && width + around.width, height: height + around.height });
    });
    observer.current.observe(lines);
  }, []);
}
