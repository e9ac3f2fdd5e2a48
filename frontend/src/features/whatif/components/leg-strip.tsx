import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { Fragment } from 'react';
import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { verdictOfLight } from '@/components/what-if/words';
import type { LegKind, ToldAnswer } from '@/contracts/api';

import classes from './what-if-panel.module.css';

type Props = { answer: ToldAnswer; shown: LegKind; onShow: (leg: LegKind) => void };

/** The four legs of the round trip with their lights; one of them is on view. */
export function LegStrip({ answer, shown, onShow }: Props) {
  const { t } = useTranslation(['trace', 'whatif']);
  return (
    <div role="group" aria-label={t('legs.label')} className={classes.legs}>
      {answer.legs.map(({ kind, light, arrives }, index) => (
        <Fragment key={kind}>
          {index > 0 && <IconChevronRight aria-hidden size={14} className={classes.then} />}
          <UnstyledButton
            className={classes.leg}
            aria-pressed={kind === shown}
            data-light={light}
            title={t(`whatif:leg.${kind}.about`)}
            onClick={() => {
              onShow(kind);
            }}
          >
            <VerdictIcon verdict={verdictOfLight(light)} size={20} />
            <span className={classes.legWords}>
              <span>{t(`whatif:leg.${kind}.word`)}</span>
              <small>
                {light === 'amber' && arrives > 0 && arrives < 1
                  ? t('legs.arrives', { share: arrives })
                  : t(`whatif:light.${light}.word`)}
              </small>
            </span>
          </UnstyledButton>
        </Fragment>
      ))}
    </div>
  );
}
