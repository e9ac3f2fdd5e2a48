import { useLayoutEffect, useRef, useState } from 'react';

import type { Frame } from '../fitting';

/**
 * How large an element is when it first stands in the page: the drawing begins in the right view and is not drawn
 * twice.
 */
export function useFrame<Framed extends HTMLElement>() {
  const element = useRef<Framed>(null);
  const [frame, setFrame] = useState<Frame | null>(null);
  useLayoutEffect(() => {
    const { clientWidth, clientHeight } = element.current ?? { clientWidth: 0, clientHeight: 0 };
    setFrame({ width: clientWidth, height: clientHeight });
  }, []);
  return { element, frame };
}
