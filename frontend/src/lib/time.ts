// The one place where instants become words: absolute and relative, in the zone that was chosen, which is always said.
import { create } from 'zustand';

import { i18n } from '@/i18n';

export const utc = 'UTC';
/** Stands for the time zone of whatever browser is used. */
export const browserZone = 'browser';

/**
 * What was chosen: UTC, `browser`, or a name of the IANA database. UTC at first: an estate spans zones, and so do those
 * who look.
 */
export const useTimeZone = create<{ chosen: string }>()(() => ({ chosen: utc }));

export function setTimeZone(chosen: string): void {
  useTimeZone.setState({ chosen });
}

/**
 * The name of the zone in which times are shown: `UTC`, `Europe/Paris`. A choice that this browser does not know is
 * UTC.
 */
export function zoneName(chosen: string): string {
  const name = chosen === browserZone ? new Intl.DateTimeFormat().resolvedOptions().timeZone : chosen;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return name;
  } catch {
    return utc;
  }
}

/** Every zone that this browser knows, without UTC. */
export function everyZone(): string[] {
  return Intl.supportedValuesOf('timeZone').filter((name) => name !== utc);
}

/** How many digits of a second. */
type Digits = 0 | 3;

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(locale: string, zone: string, digits: Digits): Intl.DateTimeFormat {
  const key = `${locale} ${zone} ${digits}`;
  const known = formatters.get(key);
  if (known !== undefined) {
    return known;
  }
  const made = new Intl.DateTimeFormat(locale, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    ...(digits === 0 ? {} : { fractionalSecondDigits: digits }),
    hourCycle: 'h23',
    timeZone: zone,
    timeZoneName: 'shortOffset',
  });
  formatters.set(key, made);
  return made;
}

/** English dates have the day first, as French and German ones do. */
const locale = (): string => ({ fr: 'fr', de: 'de' })[i18n.language] ?? 'en-GB';

/**
 * `absoluteTime` for a component that shows instants by itself: it is drawn again when another zone is chosen. A
 * `DataTable` is so anyhow.
 */
export function useAbsoluteTime(): typeof absoluteTime {
  useTimeZone((store) => store.chosen);
  return absoluteTime;
}

/**
 * `31 Mar 2024, 22:00:00 UTC` or `1 Apr 2024, 00:00:00 UTC+2`, from milliseconds since 1970; with three `digits`
 * `22:00:00.123`, for what happens many times a second.
 */
export function absoluteTime(milliseconds: number, digits: Digits = 0): string {
  const parts = formatter(locale(), zoneName(useTimeZone.getState().chosen), digits).formatToParts(milliseconds);
  // The literal in front of the zone is a space, whatever else a locale thinks of.
  const offset = (parts.find(({ type }) => type === 'timeZoneName')?.value ?? utc)
    .replace('GMT', utc)
    .replace(/[+−-]0$/, '');
  const clock = parts.slice(
    0,
    parts.findIndex(({ type }) => type === 'timeZoneName'),
  );
  return `${clock
    .map(({ value }) => value)
    .join('')
    .trimEnd()} ${offset}`;
}

const steps = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
  ['second', 1],
] as const;

/** `3 days ago`, `in 2 hours`; what stands beside it says the instant. */
export function relativeTime(milliseconds: number, now: number): string {
  const seconds = Math.round((milliseconds - now) / 1000);
  const [unit, size] = steps.find(([, length]) => Math.abs(seconds) >= length) ?? (['second', 1] as const);
  return new Intl.RelativeTimeFormat(locale(), { numeric: 'auto' }).format(Math.trunc(seconds / size), unit);
}
