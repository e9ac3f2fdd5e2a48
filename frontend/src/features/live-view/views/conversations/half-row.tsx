import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Half } from '@/live/grid/pairs';

import classes from './conversation.module.css';

/** What stands where the other side would: that it is not known, and why; never an empty line. */
export function HalfRow({ half }: { half: Half }) {
  const { t } = useTranslation('views');
  return (
    <span className={classes.half}>
      <VerdictIcon verdict="unknown" size={13} />
      <strong>{t(`conversations.half.${half.reason}.word`)}</strong>
      <HalfWords half={half} />
    </span>
  );
}

export function HalfWords({ half }: { half: Half }) {
  const { t } = useTranslation('views');
  return (
    <>
      {t(`conversations.half.${half.reason}.meaning`, {
        side: half.isInitiator ? 'initiator' : 'target',
        service: half.service,
        instance: half.instance ?? '',
      })}
    </>
  );
}
