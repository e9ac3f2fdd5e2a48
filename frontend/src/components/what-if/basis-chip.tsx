import { Tooltip } from '@mantine/core';
import { IconAlertTriangle, IconBroadcast, IconClock, IconHistory, IconPencil, type Icon } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { useAbsoluteTime } from '@/lib/time';
import { faultWords, type Fault } from '@/topology/faults';

import classes from './what-if.module.css';

export type ShownBasis = {
  /** The revision that was asked about, or that a draft stands on. */
  revision: number;
  /** The number of the draft. */
  draft: number | null;
  /** Whether it is the live state, as opposed to a revision that was named. */
  isLive: boolean;
  /** Milliseconds since 1970; null is now. */
  at: number | null;
  faults: readonly Fault[];
};

/** What an answer is about, always said: live, a draft or a past revision, the instant, and what is supposed to fail. */
export function BasisChip({ basis }: { basis: ShownBasis }) {
  const { t } = useTranslation('whatif');
  const timeText = useAbsoluteTime();
  const { revision, draft: number, isLive, at, faults } = basis;
  const kind = number !== null ? 'draft' : isLive ? 'live' : 'revision';
  const about =
    number === null
      ? t(`basis.about.${isLive ? 'live' : 'revision'}`, { revision })
      : t('basis.about.draft', { number, revision });
  const word =
    number === null ? t(`basis.${isLive ? 'live' : 'revision'}`, { revision }) : t('basis.draft', { number });
  return (
    <span className={classes.basis}>
      <Chip kind={kind} sign={signs[kind]} about={about}>
        {word}
      </Chip>
      {at !== null && (
        <Chip kind="at" sign={IconClock} about={t('basis.at', { at: timeText(at) })}>
          {t('basis.at', { at: timeText(at) })}
        </Chip>
      )}
      {faults.length > 0 && (
        <Chip kind="faults" sign={IconAlertTriangle} about={faults.map(faultWords).join('\n')}>
          {faults.length === 1 ? faults.map(faultWords) : t('basis.faults', { count: faults.length })}
        </Chip>
      )}
    </span>
  );
}

const signs = { draft: IconPencil, live: IconBroadcast, revision: IconHistory } as const;

type ChipProps = { kind: string; sign: Icon; about: string; children: ReactNode };

function Chip({ kind, sign: Sign, about, children }: ChipProps) {
  return (
    <Tooltip label={about} multiline maw={360}>
      <span className={classes.chip} data-kind={kind}>
        <Sign aria-hidden size={13} stroke={2} />
        {children}
      </span>
    </Tooltip>
  );
}
