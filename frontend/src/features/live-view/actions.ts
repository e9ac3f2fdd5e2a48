import { createContext, useContext, type ComponentType } from 'react';

import type { Reason } from '@/live/grid/transmission-groups';
import type { GridRow, Read } from '@/live/grid/rows';

import type { ViewName } from './views/registry';

/** What a view shows of operations on what it lists. The page hands them in: a feature imports no other feature. */
export type ViewActions = {
  /** In the details of a row, below its name. */
  row?: ComponentType<{ row: GridRow; read: Read }>;
  /** In the selection bar. */
  selection?: ComponentType<{ rows: readonly GridRow[]; read: Read }>;
  /** Behind a reason for which messages wait. */
  reason?: ComponentType<{ reason: Reason }>;
};

export type LiveActions = Partial<Record<ViewName, ViewActions>>;

export const noActions: ViewActions = {};

/** The operations of the view that is open. */
export const ViewActionsContext = createContext<ViewActions>(noActions);

export function useViewActions(): ViewActions {
  return useContext(ViewActionsContext);
}
