import { useStoreApi } from '@xyflow/react';
import { useLayoutEffect, useRef } from 'react';

import classes from './topology-canvas.module.css';

/** Apart, and wide, in units of the drawing. */
const grid = { gap: 24, dot: 1.2 } as const;

/**
 * The dots behind the drawing, moved past React. Not on a layer of its own: where no graphics card helps, putting
 * layers together costs more than painting them.
 */
export function Dots() {
  const store = useStoreApi();
  const sheet = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    let painted = 0;
    const place = ({ transform: [x, y, zoom] }: { transform: [number, number, number] }) => {
      const { current } = sheet;
      if (current === null) {
        return;
      }
      const gap = grid.gap * zoom;
      current.style.transform = `translate(${x % gap}px, ${y % gap}px)`;
      if (painted !== zoom) {
        painted = zoom;
        current.style.backgroundSize = `${gap}px ${gap}px`;
        current.style.setProperty('--dot', `${(grid.dot * zoom) / 2}px`);
      }
    };
    place(store.getState());
    return store.subscribe(place);
  }, [store]);
  return <div ref={sheet} className={classes.dots} aria-hidden />;
}
