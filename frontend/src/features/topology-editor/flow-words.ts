import { i18n } from '@/i18n';
import { ageText } from '@/live/age';
import type { Flow } from '@/live/flows';

/** One digit behind the point is enough below ten, none above. */
export function roundedRate(rate: number): number {
  return rate < 10 ? Math.round(rate * 10) / 10 : Math.round(rate);
}

/** What the overlay says of a line, in words; nothing goes where there is no flow. */
export function flowWords(flow: Flow | null): string {
  if (flow === null || (flow.rate === null && flow.verdict === 'idle')) {
    return i18n.t('overlay:flow.none');
  }
  if (flow.verdict === 'unknown') {
    return i18n.t('overlay:flow.unknown');
  }
  const verdict = i18n.t(`overlay:verdict.${flow.verdict}`);
  const rate = flow.rate === null ? null : i18n.t('overlay:flow.rate', { rate: roundedRate(flow.rate) });
  const error = flow.error === null ? null : i18n.t('overlay:flow.error', { number: flow.error });
  return [rate, verdict, error].filter((part) => part !== null).join(', ');
}

/** What waits in a box and since when, in words; null when nothing does. */
export function backlogWords(count: number, seconds: number): string | null {
  return count === 0 ? null : i18n.t('overlay:backlog', { count, age: ageText(seconds) });
}
