// How columns look: the vendor's under the vendor's names, ours under a word.
import type { ReactNode } from 'react';

import type { Cell } from '@/contracts/live-messages';
import type { GridColumn, GridRow, Read } from '@/live/grid/rows';
import type { TermName } from '@/i18n/terms';

/** `age`: since then. `until`: how long yet. `instant`: the time itself. */
export type Shape = 'age' | 'until' | 'instant' | 'moment' | 'id' | 'number' | 'flag' | 'name' | 'text';

export type Look = {
  /** The word for a column; below that of a column of the vendor's stands its name. */
  title?: string;
  hint?: string;
  term?: TermName;
  width?: number;
  shape?: Shape;
  /** Whether an order by it says something. */
  isSortable?: boolean;
  /** Whether it is there only for who chooses it. */
  isHidden?: boolean;
  cell?: (value: Cell, row: GridRow, read: Read) => ReactNode;
};

/** By the id of the column, in the order in which they stand; columns without a look follow, for who chooses them. */
export type Looks = Readonly<Record<string, Look>>;

export type LookedColumn = GridColumn & Look & { title: string; width: number; shape: Shape; isHidden: boolean };

const widths: Readonly<Record<Shape, number>> = {
  age: 116,
  until: 116,
  instant: 196,
  moment: 226,
  id: 112,
  number: 92,
  flag: 76,
  name: 190,
  text: 200,
};

/** Pixels of a letter of a title, and of the name below it, with those that stand around them. */
const titleRoom = (title: string) => 30 + 7 * title.length;
const nameRoom = (name: string) => 22 + 6.1 * name.length;

/** `wordFor` is the word for a column of the vendor's. */
export function lookedColumns(
  columns: readonly GridColumn[],
  looks: Looks,
  wordFor: (name: string) => string = (name) => name,
): readonly LookedColumn[] {
  const order = Object.keys(looks);
  const placeOf = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
  return columns
    .map((column): LookedColumn => {
      const look = looks[column.id];
      const shape = look?.shape ?? shapeOf(column.name, column.type);
      const title = look?.title ?? wordFor(column.name);
      const needed = title === column.name ? 0 : column.isVendors ? nameRoom(column.name) : 0;
      return {
        ...column,
        ...look,
        title,
        width: Math.max(look?.width ?? widths[shape], needed, titleRoom(title)),
        shape,
        isHidden: look === undefined || look.isHidden === true,
      };
    })
    .toSorted((one, other) => placeOf(one.id) - placeOf(other.id));
}

/** The columns that are shown: those that were chosen, or else those of the view. */
export function shownColumns(
  columns: readonly LookedColumn[],
  chosen: readonly string[] | null,
): readonly LookedColumn[] {
  return columns.filter(({ id, isHidden }) => (chosen === null ? !isHidden : chosen.includes(id)));
}

function shapeOf(column: string, type: string): Shape {
  const name = type.replace(/\(.*$/, '');
  switch (name) {
    case 'datetime':
      return 'instant';
    case 'uniqueidentifier':
      return 'id';
    case 'bit':
      return 'flag';
    case 'bigint':
    case 'int':
    case 'smallint':
    case 'tinyint':
      // Who copies an id wants its digits, not a quantity.
      return column.endsWith('_id') ? 'text' : 'number';
    case 'sysname':
    case 'nvarchar':
      return 'name';
    default:
      return 'text';
  }
}
