import { UnstyledButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { ChangeSign, LightSign } from '@/components/what-if/light-sign';
import { verdictOfDisposition } from '@/components/what-if/words';
import type { ToldDifference, ToldStepChange, WhatIf, WhatIfComparison } from '@/contracts/api';

import { answerWord, comparedStep } from '../words';
import classes from './what-if-panel.module.css';

export type Side = 'before' | 'after';

type Props = {
  comparison: WhatIfComparison;
  /** What each side is called. */
  titles: Record<Side, string>;
  shown: Side;
  onShow: (side: Side) => void;
};

/** The same question before and after, and the hops that are other ones. One side is shown in full. */
export function Comparison({ comparison, titles, shown, onShow }: Props) {
  const { t } = useTranslation('trace');
  return (
    <section className={classes.comparison} aria-label={t('compare.label')}>
      <div className={classes.sides}>
        {(['before', 'after'] as const).map((side) => (
          <SideButton
            key={side}
            title={titles[side]}
            whatIf={comparison[side]}
            isShown={side === shown}
            onShow={() => {
              onShow(side);
            }}
          />
        ))}
      </div>
      {comparison.difference !== null && <Difference difference={comparison.difference} />}
    </section>
  );
}

type SideProps = { title: string; whatIf: WhatIf | null; isShown: boolean; onShow: () => void };

function SideButton({ title, whatIf, isShown, onShow }: SideProps) {
  const { t } = useTranslation('trace');
  if (whatIf === null) {
    return (
      <div className={classes.side} data-empty>
        <strong>{t('compare.nobody', { basis: title })}</strong>
        <span className={classes.note}>{t('compare.nobodyAbout')}</span>
      </div>
    );
  }
  const { answer } = whatIf;
  return (
    <UnstyledButton className={classes.side} aria-pressed={isShown} onClick={onShow}>
      <VerdictIcon verdict={verdictOfDisposition(answer.disposition)} size={20} />
      <strong>{t('compare.side', { basis: title, word: answerWord(answer) })}</strong>
      <LightSign light={answer.light} />
    </UnstyledButton>
  );
}

function Difference({ difference: { change, steps } }: { difference: ToldDifference }) {
  const { t } = useTranslation('trace');
  return (
    <div className={classes.difference}>
      <h3>
        {t('compare.difference')} <ChangeSign change={change} />
      </h3>
      {steps.length === 0 ? (
        <p className={classes.note}>{t('compare.same')}</p>
      ) : (
        <ul aria-label={t('compare.difference')}>
          {steps.map((step, index) => (
            <StepChange key={index} step={step} />
          ))}
        </ul>
      )}
    </div>
  );
}

function StepChange({ step: { leg, before, after } }: { step: ToldStepChange }) {
  const { t } = useTranslation(['trace', 'whatif']);
  const place = after ?? before;
  const kind = before === null ? 'added' : after === null ? 'gone' : 'changed';
  return (
    <li data-kind={kind}>
      <span className={classes.note}>
        {t('compare.step', {
          leg: t(`whatif:leg.${leg}.word`),
          place: place === null ? '' : `${place.instance} · ${place.table}`,
        })}
      </span>
      <span>
        {before === null
          ? t('compare.added', { what: after === null ? '' : comparedStep(after) })
          : after === null
            ? t('compare.gone', { what: comparedStep(before) })
            : t('compare.changed', { before: comparedStep(before), after: comparedStep(after) })}
      </span>
    </li>
  );
}
