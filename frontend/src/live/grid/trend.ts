// Whether something grows or shrinks, from what was seen of it in the last minute.

/** What was seen at a moment, in milliseconds since 1970: figures by what they are of. */
export type Sample = { at: number; figures: Readonly<Record<string, number>> };

export const trendMilliseconds = 60_000;

/** Keeps what is needed to tell the trend: a minute, and the last one from before. */
export function withSample(samples: readonly Sample[], sample: Sample): Sample[] {
  const since = sample.at - trendMilliseconds;
  const firstWithin = samples.findIndex(({ at }) => at >= since);
  const kept = firstWithin < 0 ? samples.slice(-1) : samples.slice(Math.max(0, firstWithin - 1));
  return [...kept, sample];
}

export type Trend = { change: number; seconds: number };

/** How much it has changed, and in how long; null while it was seen once only. */
export function trendOf(samples: readonly Sample[], what: string): Trend | null {
  const seen = samples.filter(({ figures }) => figures[what] !== undefined);
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined || last.at === first.at) {
    return null;
  }
  return {
    change: (last.figures[what] ?? 0) - (first.figures[what] ?? 0),
    seconds: Math.round((last.at - first.at) / 1000),
  };
}

/**
 * How much it has grown a second in the last so many seconds, since it began anew where it did; null while that is not
 * known.
 */
export function rateOf(samples: readonly Sample[], what: string, seconds: number): number | null {
  const until = samples.at(-1)?.at ?? 0;
  const seen = samples.flatMap(({ at, figures }): [number, number][] => {
    const figure = figures[what];
    return figure === undefined || at < until - seconds * 1000 ? [] : [[at, figure]];
  });
  const begunAt = seen.findLastIndex(([, figure], place) => figure < (seen[place - 1]?.[1] ?? 0));
  const [first, last] = [seen[Math.max(0, begunAt)], seen.at(-1)];
  return first === undefined || last === undefined || first[0] === last[0]
    ? null
    : ((last[1] - first[1]) * 1000) / (last[0] - first[0]);
}
