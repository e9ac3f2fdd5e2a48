// Absolute times, always in UTC and always saying so: an estate spans zones, and so do the people who look at it.

const formatter = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'medium',
  timeStyle: 'medium',
  timeZone: 'UTC',
});

/** `31 Mar 2024, 22:00:00 UTC` from milliseconds since 1970. */
export function absoluteTime(milliseconds: number): string {
  return `${formatter.format(new Date(milliseconds))} UTC`;
}
