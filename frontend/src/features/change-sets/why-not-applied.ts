import type { ChangeSet } from '@/contracts/api';
import { i18n } from '@/i18n';

/** Why a change set cannot be made live as it is; null when it can. */
export function whyNotApplied({
  state,
  object_count: count,
  conflict_count: conflicts,
  problems,
}: ChangeSet): string | null {
  if (state !== 'open') {
    return i18n.t(`review:barred.${state}`);
  }
  if (conflicts > 0) {
    return i18n.t('review:barred.conflicts', { count: conflicts });
  }
  const [problem] = problems;
  if (problem !== undefined) {
    return i18n.t('review:barred.problem', { instance: problem.instance, detail: problem.detail });
  }
  return count === 0 ? i18n.t('review:barred.empty') : null;
}
