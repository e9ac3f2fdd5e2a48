// Table `heat` as the map takes it.
import type { HeatStep } from '@/topology/heat';

import { countOf, textOf, type Row } from './records';

/** A conversation that begins at an instance comes from none. */
export function stepsOf(rows: readonly Row[]): HeatStep[] {
  return rows.map((row) => ({
    instance: textOf(row, 'instance'),
    from_instance: typeof row.from_instance === 'string' ? row.from_instance : null,
    change: textOf(row, 'change'),
    conversations: countOf(row, 'conversations'),
  }));
}
