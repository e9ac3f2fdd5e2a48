// What performance counters mean: figures of now from sums that grow, and the last minutes of them.
import type { Cell } from '@/contracts/live-messages';

import { highest, type History } from './history';
import type { GridRow, Read } from './rows';

/** `cntr_type` of the vendor's view: how a value is to be read. */
export const counterTypes = { number: 65792, rate: 272696576, average: 1073874176, base: 1073939712 } as const;

export type Unit = 'number' | 'perSecond' | 'bytes' | 'bytesPerSecond' | 'milliseconds';

/** What a figure is counted in, by the vendor's name. */
export function unitOf(counter: string, type: number): Unit {
  if (/\(ms\)/i.test(counter)) {
    return 'milliseconds';
  }
  const isBytes = /bytes?\b|size avg|len avg/i.test(counter);
  if (type === counterTypes.rate) {
    return isBytes ? 'bytesPerSecond' : 'perSecond';
  }
  return isBytes ? 'bytes' : 'number';
}

/** A counter as its row names it. */
export type Counter = { key: string; instance: string; object: string; name: string; of: string; type: number };

export function counterOf(row: GridRow, read: Read): Counter {
  const text = (value: Cell) => (typeof value === 'string' ? value : '');
  return {
    key: row.key,
    instance: row.instance,
    object: text(read(row, 'object_name')),
    name: text(read(row, 'counter_name')),
    of: text(read(row, 'instance_name/vendor')),
    type: Number(read(row, 'cntr_type')),
  };
}

/**
 * The key of the counter by which a sum is divided; keys hold the name in front (`brokerweb/live`, engine pictures).
 */
export function baseKeyOf({ key, name }: Counter): string {
  const at = key.indexOf(`${name}\t`);
  return at < 0 ? '' : `${key.slice(0, at)}${name} Base${key.slice(at + name.length)}`;
}

/**
 * What a counter was at each moment, as somebody reads it: a rate a second, an average, or the number itself; null
 * where unknown.
 */
export function figuresOf(history: History, counter: Counter): readonly (number | null)[] {
  const values = history.values.get(counter.key) ?? [];
  switch (counter.type) {
    case counterTypes.base:
      return values.map(() => null);
    case counterTypes.rate:
      return values.map((value, place) =>
        quotient(grown(values, place, value), (history.at[place] ?? 0) - (history.at[place - 1] ?? 0)),
      );
    case counterTypes.average: {
      const bases = history.values.get(baseKeyOf(counter)) ?? [];
      return values.map((value, place) =>
        averageAt(grown(values, place, value), grown(bases, place, bases[place] ?? null)),
      );
    }
    default:
      return values;
  }
}

/** How much a sum has grown since the moment before; null when it was not known, or has begun anew. */
function grown(values: readonly (number | null)[], place: number, value: number | null): number | null {
  const before = values[place - 1] ?? null;
  return value === null || before === null || value < before ? null : value - before;
}

function quotient(sum: number | null, by: number): number | null {
  return sum === null || by <= 0 ? null : sum / by;
}

/** While nothing is added there is no average: that is not zero. */
function averageAt(sum: number | null, base: number | null): number | null {
  return sum === null || base === null || base === 0 ? null : sum / base;
}

export type Line = { counter: Counter; figures: readonly (number | null)[] };

/** One counter of several instances, on one scale. */
export type Chart = {
  key: string;
  object: string;
  name: string;
  unit: Unit;
  lines: readonly Line[];
  /** Lines that are not drawn. */ more: number;
};

/**
 * The charts of these counters, in the order of the view. Of counters with one of each database the sum of all is
 * drawn, or, when one instance is looked at, each. Where there are more lines than can be told apart, those that are
 * highest now.
 */
export function charts(counters: readonly Counter[], history: History, isOneInstance: boolean): Chart[] {
  const found = new Map<string, Line[]>();
  for (const counter of counters) {
    const isDrawn =
      counter.type !== counterTypes.base && (counter.of === '' || (counter.of === '_Total') !== isOneInstance);
    if (isDrawn) {
      const key = `${counter.object} ${counter.name}`;
      found.set(key, [...(found.get(key) ?? []), { counter, figures: figuresOf(history, counter) }]);
    }
  }
  return [...found].flatMap(([key, lines]): Chart[] => {
    const first = lines[0]?.counter;
    if (first === undefined) {
      return [];
    }
    const drawn = highest(lines);
    return [
      {
        key,
        object: first.object,
        name: first.name,
        unit: unitOf(first.name, first.type),
        lines: drawn,
        more: lines.length - drawn.length,
      },
    ];
  });
}

/** Whether nothing of it is or was anything but zero. */
export function isAtRest({ lines }: Chart): boolean {
  return lines.every(({ figures }) => figures.every((figure) => figure === null || figure === 0));
}
