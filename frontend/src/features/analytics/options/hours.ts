// Figures by hour: of one way, or of all together.
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

/** What tells the ways of table `hourly` apart: by which route of which database, to which service. */
export function wayOf(row: Row): string {
  return [textOf(row, 'from_database') || '–', textOf(row, 'route') || '–', textOf(row, 'to_service') || '–'].join(
    ' · ',
  );
}

/** Ways, the most used first. */
export function waysOf(rows: readonly Row[]): string[] {
  const sums = new Map<string, number>();
  for (const row of rows) {
    sums.set(wayOf(row), (sums.get(wayOf(row)) ?? 0) + countOf(row, 'messages'));
  }
  return [...sums].sort(([one, more], [other, less]) => less - more || one.localeCompare(other)).map(([way]) => way);
}

/**
 * By hour, of one way or, with null, of all: their messages are summed, and of latencies the highest one of any way
 * is taken, since percentiles cannot be added up.
 */
export function hoursOf(rows: readonly Row[], way: string | null): Hours {
  const found = new Map<number, { messages: number; latency: (number | null)[] }>();
  for (const row of rows.filter((each) => way === null || wayOf(each) === way)) {
    const at = Date.parse(textOf(row, 'hour_at')) / 1000;
    if (Number.isNaN(at)) {
      continue;
    }
    const known = found.get(at) ?? { messages: 0, latency: percents.map(() => null) };
    found.set(at, {
      messages: known.messages + countOf(row, 'messages'),
      latency: percents.map((percent, place) =>
        highest(known.latency[place] ?? null, figureOf(row, `latency_${percent}`)),
      ),
    });
  }
  const at = everyHour([...found.keys()].sort((one, other) => one - other));
  const latencyAt = (place: number) => at.map((each) => found.get(each)?.latency[place] ?? null);
  return {
    at,
    messages: at.map((each) => found.get(each)?.messages ?? 0),
    latency: { p50: latencyAt(0), p95: latencyAt(1), p99: latencyAt(2) },
  };
}

function highest(one: number | null, other: number | null): number | null {
  return one === null ? other : other === null ? one : Math.max(one, other);
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
