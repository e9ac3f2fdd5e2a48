// Figures by hour: of one way, or of all together.
import type { Filter } from '../api/tables';
import type { Row } from './records';
import { countOf, figureOf, textOf } from './records';

export const percents = ['p50', 'p95', 'p99'] as const;

export type Hours = {
  /** Seconds since 1970, every hour from the first to the last. */
  at: number[];
  messages: number[];
  /** Milliseconds; null where nothing arrived. */
  latency: Record<(typeof percents)[number], (number | null)[]>;
};

const hour = 3600;
/** Hours that are filled in between: a year of them is no chart. */
const hoursMax = 24 * 62;

/** What tells the ways of table `hourly` apart: from where, by which route of which database, to which service. */
export const wayParts = ['from_instance', 'from_database', 'route', 'to_service'] as const;

/** A way in words; runs of older versions do not know from which instance. */
export function wayOf(row: Row): string {
  return wayParts.flatMap((part) => (part in row ? [textOf(row, part) || '–'] : [])).join(' · ');
}

/** What leaves the rows of that way. */
export function wayFilters(row: Row): Filter[] {
  return wayParts.flatMap((part) => (part in row ? [{ column: part, value: textOf(row, part) }] : []));
}

/** By hour, of rows of which each hour has one. */
export function hoursOf(rows: readonly Row[]): Hours {
  const found = new Map(
    rows.flatMap((row) => {
      const at = Date.parse(textOf(row, 'hour_at')) / 1000;
      return Number.isNaN(at) ? [] : [[at, row] as const];
    }),
  );
  const at = everyHour([...found.keys()].sort((one, other) => one - other));
  const latencyOf = (percent: string) => at.map((each) => figureOf(found.get(each) ?? {}, `latency_${percent}`));
  return {
    at,
    messages: at.map((each) => countOf(found.get(each) ?? {}, 'messages')),
    latency: { p50: latencyOf('p50'), p95: latencyOf('p95'), p99: latencyOf('p99') },
  };
}

/** Hours in which nothing was sent are there too, with nothing. */
function everyHour(known: readonly number[]): number[] {
  const [first] = known;
  const last = known.at(-1);
  if (first === undefined || last === undefined || (last - first) / hour > hoursMax) {
    return [...known];
  }
  return Array.from({ length: Math.round((last - first) / hour) + 1 }, (_, place) => first + place * hour);
}
