import { useState } from 'react';

import { flowing, keepPlaces, type Shown } from '@/live/grid/places';
import type { GridRow } from '@/live/grid/rows';

/**
 * What is shown of `current`, places kept while somebody reads. Another list begins anew; the function shows all that
 * waits.
 */
export function useKeptPlaces(list: string, current: readonly GridRow[], isReading: boolean): [Shown, () => void] {
  const [state, setState] = useState(() => ({ list, current, isReading, shown: flowing(current) }));
  let now = state;
  if (state.list !== list || state.current !== current || state.isReading !== isReading) {
    const isRead = isReading && state.list === list;
    now = { list, current, isReading, shown: isRead ? keepPlaces(state.shown, current) : flowing(current) };
    setState(now);
  }
  return [
    now.shown,
    () => {
      setState({ ...now, shown: flowing(current) });
    },
  ];
}
