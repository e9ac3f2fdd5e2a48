import type { KeyboardEvent } from 'react';

import type { GridRow } from '@/live/grid/rows';

import type { LiveList } from './use-live-list';

const page = 12;

type Actions = {
  /** Scrolls a row into view. */
  show: (index: number) => void;
  copy: () => void;
};

/** Arrows move the cursor, Enter opens the row, space selects it, Escape goes back a step at a time. */
export function gridKeys(list: LiveList, { show, copy }: Actions): (event: KeyboardEvent) => void {
  const { rows } = list.shown;
  const at = rows.findIndex(({ key }) => key === list.cursor);
  const goTo = (place: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, place));
    const row = rows[index];
    if (row !== undefined) {
      list.setCursor(row.key);
      show(index);
      if (list.query.row !== null && row.half === undefined) {
        list.query.setRow(row.key);
      }
    }
  };
  const moves: Readonly<Record<string, () => void>> = {
    ArrowDown: () => {
      goTo(at + 1);
    },
    ArrowUp: () => {
      goTo(at < 0 ? 0 : at - 1);
    },
    PageDown: () => {
      goTo(at + page);
    },
    PageUp: () => {
      goTo(at - page);
    },
    Home: () => {
      goTo(0);
    },
    End: () => {
      goTo(rows.length - 1);
    },
    Enter: () => {
      openRow(list, rows[at]);
    },
    ' ': () => {
      toggleRow(list, rows[at]);
    },
    Escape: () => {
      goBack(list);
    },
  };
  return (event) => {
    if (event.target !== event.currentTarget) {
      return;
    }
    const isCommand = event.ctrlKey || event.metaKey;
    const command = isCommand
      ? {
          a: () => {
            selectAll(list);
          },
          c: copy,
        }[event.key]
      : moves[event.key];
    // Marked words are copied by the browser itself.
    if (command !== undefined && !(isCommand && event.key === 'c' && window.getSelection()?.isCollapsed === false)) {
      event.preventDefault();
      command();
    }
  };
}

export function openRow(list: LiveList, row: GridRow | undefined): void {
  if (row !== undefined && row.half === undefined) {
    list.setCursor(row.key);
    list.query.setRow(row.key);
  }
}

export function toggleRow(list: LiveList, row: GridRow | undefined): void {
  if (row !== undefined && row.half === undefined) {
    const after = new Set(list.selected);
    if (!after.delete(row.key)) {
      after.add(row.key);
    }
    list.select(after);
  }
}

/** Every row from the cursor to this one. */
export function selectTo(list: LiveList, index: number): void {
  const { rows } = list.shown;
  const from = Math.max(
    0,
    rows.findIndex(({ key }) => key === list.cursor),
  );
  const range = rows.slice(Math.min(from, index), Math.max(from, index) + 1);
  list.select(new Set([...list.selected, ...keysOf(range)]));
}

export function selectAll(list: LiveList): void {
  list.select(new Set(keysOf(list.shown.rows)));
}

function keysOf(rows: readonly GridRow[]): string[] {
  return rows.filter(({ half }) => half === undefined).map(({ key }) => key);
}

function goBack(list: LiveList): void {
  if (list.query.row !== null) {
    list.query.setRow(null);
  } else if (list.selected.size > 0) {
    list.select(new Set());
  } else {
    list.setCursor(null);
  }
}
