// The way of a message that the drawing shows: told by the page that explains it, read by the drawing.
import { create } from 'zustand';

import type { ShownPath } from '@/topology/path';

export const usePathStore = create<{ path: ShownPath | null }>(() => ({ path: null }));

export function showPath(path: ShownPath | null): void {
  usePathStore.setState({ path });
}
