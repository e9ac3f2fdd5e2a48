import { Button, CloseButton } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { formatSelection, type Selection } from '@/topology/selection';

import classes from './tour.module.css';

type Step = {
  name: 'map' | 'database' | 'route' | 'outline' | 'draft' | 'findings';
  select?: Selection;
  outline?: boolean;
};

const paris = { instance: 'PARIS', database: 'Ventes' };
const ventes: Selection = { kind: 'database', ...paris };

const steps: readonly Step[] = [
  { name: 'map' },
  { name: 'database', select: ventes },
  { name: 'route', select: { kind: 'route', ...paris, route: 'Vers Berlin' } },
  { name: 'outline', select: ventes, outline: true },
  { name: 'draft', select: ventes },
  { name: 'findings' },
];

/**
 * What there is to see on the map of the sample, one thing after the other. The step stands in the address, so a reload
 * keeps it.
 */
export function Tour() {
  const { t } = useTranslation('tour');
  const [asked] = useParameter('tour');
  const set = useSetParameters();
  const heading = useRef<HTMLHeadingElement>(null);
  const number = Number(asked);
  const step = asked === null ? undefined : steps[number - 1];
  useEffect(() => {
    heading.current?.focus();
  }, [number]);
  if (step === undefined) {
    return null;
  }
  const go = (to: number) => {
    const next = steps[to - 1];
    set({
      tour: next === undefined ? null : String(to),
      select: next?.select === undefined ? null : formatSelection(next.select),
      outline: next?.outline === true ? 'open' : null,
    });
  };
  return (
    <section className={classes.tour} aria-label={t('label')}>
      <div className={classes.head}>
        <h2 ref={heading} tabIndex={-1}>
          {t(`steps.${step.name}.title`)}
        </h2>
        <span>{t('step', { number, count: steps.length })}</span>
        <CloseButton
          aria-label={t('end')}
          onClick={() => {
            go(0);
          }}
        />
      </div>
      <p>{t(`steps.${step.name}.text`)}</p>
      <div className={classes.actions}>
        {number > 1 && (
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              go(number - 1);
            }}
          >
            {t('back')}
          </Button>
        )}
        <Button
          size="xs"
          onClick={() => {
            go(number + 1);
          }}
        >
          {number === steps.length ? t('end') : t('next')}
        </Button>
      </div>
    </section>
  );
}
