import { bytesText, i18n, numberText } from '@/i18n';
import type { Unit } from '@/live/grid/counters';

/** A figure with its unit. */
export function figureText(figure: number, unit: Unit): string {
  switch (unit) {
    case 'bytes':
      return bytesText(figure);
    case 'bytesPerSecond':
      return i18n.t('views:counters.perSecond', { figure: bytesText(figure) });
    case 'perSecond':
      return i18n.t('views:counters.perSecond', { figure: rounded(figure) });
    case 'milliseconds':
      return i18n.t('views:counters.milliseconds', { figure: rounded(figure) });
    case 'number':
      return rounded(figure);
  }
}

function rounded(figure: number): string {
  return numberText(Math.abs(figure) >= 100 ? Math.round(figure) : Math.round(figure * 10) / 10);
}
