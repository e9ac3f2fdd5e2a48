import { useCallback, useState, type KeyboardEvent } from 'react';

type Place = { row: number; column: number };

/** How far `PageUp` and `PageDown` go. */
const pageRows = 10;

/**
 * The keys of a grid of links: one of its cells can be reached by Tab, arrows go on from there. `Home` and `End` lead to
 * the ends of a row, with Ctrl to those of the grid.
 */
export function useGridKeys(rows: number, columns: number) {
  const [chosen, choose] = useState<Place>({ row: 0, column: 0 });
  const current = { row: clamp(chosen.row, rows), column: clamp(chosen.column, columns) };
  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLElement>) => {
      const at = placeOf(event.target);
      const next = at === null ? null : moved(at, event, rows, columns);
      if (next === null) {
        return;
      }
      event.preventDefault();
      choose(next);
      event.currentTarget.querySelector<HTMLElement>(`[data-row="${next.row}"][data-column="${next.column}"]`)?.focus();
    },
    [rows, columns],
  );
  const onFocus = useCallback((event: { target: EventTarget }) => {
    const at = placeOf(event.target);
    if (at !== null) {
      choose(at);
    }
  }, []);
  return {
    onKeyDown,
    onFocus,
    cell: (row: number, column: number) => ({
      'data-row': row,
      'data-column': column,
      tabIndex: row === current.row && column === current.column ? 0 : -1,
    }),
  };
}

const clamp = (index: number, length: number) => Math.min(Math.max(index, 0), Math.max(length - 1, 0));

function placeOf(target: EventTarget): Place | null {
  if (!(target instanceof HTMLElement) || target.dataset.row === undefined) {
    return null;
  }
  return { row: Number(target.dataset.row), column: Number(target.dataset.column) };
}

/** Where a key leads; null for a key that leads nowhere. */
export function moved(
  { row, column }: Place,
  { key, ctrlKey }: Pick<KeyboardEvent, 'key' | 'ctrlKey'>,
  rows: number,
  columns: number,
): Place | null {
  const to = (nextRow: number, nextColumn: number) => ({
    row: clamp(nextRow, rows),
    column: clamp(nextColumn, columns),
  });
  switch (key) {
    case 'ArrowDown':
      return to(row + 1, column);
    case 'ArrowUp':
      return to(row - 1, column);
    case 'ArrowRight':
      return to(row, column + 1);
    case 'ArrowLeft':
      return to(row, column - 1);
    case 'PageDown':
      return to(row + pageRows, column);
    case 'PageUp':
      return to(row - pageRows, column);
    case 'Home':
      return to(ctrlKey ? 0 : row, 0);
    case 'End':
      return to(ctrlKey ? rows - 1 : row, columns - 1);
    default:
      return null;
  }
}
