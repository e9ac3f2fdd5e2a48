import { IconMinus, IconPencil, IconPlus } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import type { DraftObject } from '@/contracts/api';

import classes from './change-sets.module.css';

const signs = { add: IconPlus, change: IconPencil, remove: IconMinus } as const;

/** What becomes of an object, as a picture and as a word. */
export function EffectSign({ effect }: { effect: DraftObject['effect'] }) {
  const { t } = useTranslation('review');
  const Sign = signs[effect];
  return (
    <span className={classes.effect} data-effect={effect}>
      <Sign size={13} stroke={2.6} aria-hidden />
      {t(`effectOne.${effect}`)}
    </span>
  );
}
