import { useStoreApi } from '@xyflow/react';
import { useLayoutEffect } from 'react';

/**
 * Keeps the library from measuring boxes. It measures each one that comes into view, whatever it was told, then draws
 * it a second time and asks all others whether that concerns them: at each step of a pan. Ours are as large as they are
 * told to be. To be called before the drawing stands in the page, since the library takes this function along when it
 * begins.
 */
export function useToldSizes(): void {
  const store = useStoreApi();
  useLayoutEffect(() => {
    store.setState({ updateNodeInternals: () => undefined });
  }, [store]);
}
