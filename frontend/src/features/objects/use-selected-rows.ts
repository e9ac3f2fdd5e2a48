import { useState } from 'react';

import type { ListedObject, ObjectName } from '@/contracts/api';

import { keyOf, nameOf } from './object-name';

export type SelectedRows = ReturnType<typeof useSelectedRows>;

/** The rows that are ticked, on whichever page, or all that the list has. Another list begins with none. */
export function useSelectedRows(list: string) {
  const [state, setState] = useState<{ list: string; rows: ReadonlyMap<string, ObjectName>; isAll: boolean }>({
    list,
    rows: new Map(),
    isAll: false,
  });
  const { rows, isAll } = state.list === list ? state : { rows: new Map<string, ObjectName>(), isAll: false };
  const keep = (some: ReadonlyMap<string, ObjectName>, all = false) => {
    setState({ list, rows: some, isAll: all });
  };
  return {
    names: [...rows.values()],
    isAll,
    has: (row: ListedObject) => isAll || rows.has(keyOf(row)),
    toggle: (some: readonly ListedObject[], isOn: boolean) => {
      const after = new Map(rows);
      for (const row of some) {
        if (isOn) {
          after.set(keyOf(row), nameOf(row));
        } else {
          after.delete(keyOf(row));
        }
      }
      keep(after);
    },
    all: () => {
      keep(rows, true);
    },
    clear: () => {
      keep(new Map());
    },
  };
}
