// Spans of time that runs are about. They are counted back from the newest event of the lake: what was exported
// yesterday has no last hour by the clock.
import type { Range } from './api/runs';

export const presets = ['all', 'hour', 'day', 'week', 'own'] as const;
export type Preset = (typeof presets)[number];

const milliseconds = { hour: 3_600_000, day: 86_400_000, week: 604_800_000 } as const;

/** `own` is what was typed. The end is open: the newest event belongs to it. */
export function rangeOf(preset: Preset, lastAt: string | null, own: Range): Range {
  if (preset === 'own') {
    return own;
  }
  if (preset === 'all' || lastAt === null) {
    return { since: null, until: null };
  }
  return { since: instantText(Date.parse(lastAt) - milliseconds[preset]), until: null };
}

/** As the API has instants, whole seconds. */
export function instantText(at: number): string {
  return new Date(Math.floor(at / 1000) * 1000).toISOString().replace('.000Z', 'Z');
}

/** What stands in a field for an instant in UTC; the empty text is none. */
export function typedInstant(text: string): string | null {
  const at = Date.parse(`${text}Z`);
  return Number.isNaN(at) ? null : instantText(at);
}

/** Whether it ends after it begins. */
export function isInOrder({ since, until }: Range): boolean {
  return since === null || until === null || Date.parse(since) < Date.parse(until);
}
