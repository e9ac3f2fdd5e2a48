import { Button } from '@mantine/core';
import { IconCheck, IconFlag } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import type { TrainingSession } from '@/contracts/api';

import type { Act } from '../use-run';
import classes from './run-bar.module.css';

type Props = { session: TrainingSession; isBusy: boolean; onAct: Act };

/** Have the run graded, and end it; what ends it is asked twice. */
export function EndButtons({ session, isBusy, onAct }: Props) {
  const { t } = useTranslation('training');
  const [asked, ask] = useState<'finish' | 'giveUp' | null>(null);
  const { rules } = session;
  if (asked !== null) {
    return (
      <div className={classes.ends} role="group" aria-label={t(`sure.${asked}`)}>
        <span>{t(`sure.${asked}`)}</span>
        <Button
          size="xs"
          {...(asked === 'giveUp' ? { color: 'red' } : {})}
          disabled={isBusy}
          onClick={() => {
            ask(null);
            onAct((deeds) => (asked === 'giveUp' ? deeds.giveUp() : deeds.finish()));
          }}
        >
          {t(`sure.${asked}Yes`)}
        </Button>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            ask(null);
          }}
        >
          {t('sure.no')}
        </Button>
      </div>
    );
  }
  const askFinish = () => {
    ask('finish');
  };
  return (
    <div className={classes.ends}>
      <Button
        size="xs"
        leftSection={<IconCheck size={15} />}
        disabled={isBusy}
        onClick={
          rules.ends_with_check
            ? askFinish
            : () => {
                onAct((deeds) => deeds.check());
              }
        }
      >
        {t('check')}
      </Button>
      {!rules.ends_with_check && (
        <Button size="xs" variant="default" leftSection={<IconFlag size={15} />} disabled={isBusy} onClick={askFinish}>
          {t('finish')}
        </Button>
      )}
      {rules.has_solution && (
        <Button
          size="xs"
          variant="subtle"
          color="gray"
          disabled={isBusy}
          onClick={() => {
            ask('giveUp');
          }}
        >
          {t('giveUp')}
        </Button>
      )}
    </div>
  );
}
