import { warmUpLayout } from '@/lib/layout-engine';

/** Fetches the code of the map. */
export const loadMap = () => import('./topology-page');

/** Fetches all that a map needs besides its estate, while somebody still chooses one. */
export function prepareMap(): void {
  void loadMap();
  warmUpLayout();
}
