// Where the pages of analytics are.

export function analyticsAddress(estate: string): string {
  return `/estates/${encodeURIComponent(estate)}/analytics`;
}

export function runAddress(estate: string, run: string): string {
  return `${analyticsAddress(estate)}/runs/${encodeURIComponent(run)}`;
}

/** Two runs of a job beside each other. */
export function compareAddress(estate: string, [one, other]: readonly [string, string]): string {
  return `${analyticsAddress(estate)}/compare?${new URLSearchParams({ one, other }).toString()}`;
}
