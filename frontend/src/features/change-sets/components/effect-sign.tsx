import { IconMinus, IconPencil, IconPlus } from '@tabler/icons-react';

import type { DraftObject } from '@/contracts/api';

import classes from './change-sets.module.css';

const signs = { add: IconPlus, change: IconPencil, remove: IconMinus } as const;
export const effectWords = { add: 'Added', change: 'Changed', remove: 'Removed' } as const;

/** What becomes of an object, as a picture and as a word. */
export function EffectSign({ effect }: { effect: DraftObject['effect'] }) {
  const Sign = signs[effect];
  return (
    <span className={classes.effect} data-effect={effect}>
      <Sign size={13} stroke={2.6} aria-hidden />
      {effectWords[effect]}
    </span>
  );
}
