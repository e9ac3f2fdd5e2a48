// Ages as people read them: `3 m 12 s`.
import { i18n } from '@/i18n';

export function ageText(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  const days = Math.floor(whole / 86_400);
  const hours = Math.floor((whole % 86_400) / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  if (days > 0) {
    return i18n.t('live:age.days', { days, hours });
  }
  if (hours > 0) {
    return i18n.t('live:age.hours', { hours, minutes });
  }
  return minutes > 0
    ? i18n.t('live:age.minutes', { minutes, seconds: whole % 60 })
    : i18n.t('live:age.seconds', { seconds: whole });
}

/** Years of lifetime say nothing: the largest one stands for "never". */
export function remainingText(seconds: number): string {
  const years = seconds / 31_557_600;
  if (seconds <= 0) {
    return i18n.t('live:age.over');
  }
  return years > 50 ? i18n.t('live:age.never') : ageText(seconds);
}
