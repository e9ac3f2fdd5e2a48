// From a bar, a cell or a band of a chart to the conversations behind it: what was chosen stands in the address.
import type { Change } from './api/types';

export const changes = ['lost', 'moved', 'gained', 'unchanged'] as const satisfies readonly Change[];

/** Which conversations: of a change, and as far as named of a sender and a destination. */
export type Drill = {
  change: Change;
  instance?: string;
  database?: string;
  service?: string;
  to_service?: string;
};

const parts = ['instance', 'database', 'service', 'to_service'] as const;

/** What stands in the address for each part. */
const parameterOf = { instance: 'on', database: 'in', service: 'of', to_service: 'to' } as const;

export function isChange(text: unknown): text is Change {
  return changes.includes(text as Change);
}

/** What the address asks for; null when it asks for nothing, or for what there is not. */
export function drillOf(parameters: URLSearchParams): Drill | null {
  const change = parameters.get('change');
  if (!isChange(change)) {
    return null;
  }
  const named = parts.flatMap((part) => {
    const value = parameters.get(parameterOf[part]);
    return value === null ? [] : [[part, value] as const];
  });
  return { change, ...Object.fromEntries(named) };
}

/** All parameters of the address that say it; null for each that is not there. */
export function drillParameters(drill: Drill | null): Record<string, string | null> {
  return Object.fromEntries([
    ['change', drill?.change ?? null],
    ...parts.map((part) => [parameterOf[part], drill?.[part] ?? null]),
  ]) as Record<string, string | null>;
}

/** The same for the server. */
export function drillQuery(drill: Drill): Record<string, string> {
  const named = parts.flatMap((part) => (drill[part] === undefined ? [] : [[part, drill[part]] as const]));
  return { change: drill.change, ...Object.fromEntries(named) };
}

/** Who and whom, as far as it is said: `PARIS · Ventes`. */
export function drillPlace(drill: Drill): string {
  return parts.flatMap((part) => drill[part] ?? []).join(' · ');
}
