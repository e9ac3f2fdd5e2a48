import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';

import classes from './legend.module.css';

function Line({ kind }: { kind: 'whole' | 'principal' | 'mirror' | 'expired' | 'pending' }) {
  return (
    <svg width="44" height="12" className={classes.line} data-kind={kind} aria-hidden>
      <path d="M 1 6 H 36" />
      <path d="M 34 2 L 42 6 L 34 10 Z" className={classes.tip} />
    </svg>
  );
}

const entries = {
  gate: <span className={classes.gate} />,
  whole: <Line kind="whole" />,
  principal: <Line kind="principal" />,
  mirror: <Line kind="mirror" />,
  expired: <Line kind="expired" />,
  pending: <Line kind="pending" />,
  ghost: <span className={classes.ghost} />,
  any: <span className={classes.star}>∗</span>,
  listening: <VerdictIcon verdict="delivered" />,
  held: <VerdictIcon verdict="delayed" />,
  stopped: <VerdictIcon verdict="lost" />,
  unknown: <VerdictIcon verdict="unknown" />,
} as const satisfies Record<string, ReactNode>;

/** The key to the drawing's signs. */
export function Legend() {
  const { t } = useTranslation('canvas');
  return (
    <div>
      <h3 className={classes.title}>{t('legend.title')}</h3>
      <ul className={classes.list}>
        {(Object.keys(entries) as (keyof typeof entries)[]).map((key) => (
          <li key={key}>
            <span className={classes.sign}>{entries[key]}</span>
            {t(`legend.${key}`)}
          </li>
        ))}
      </ul>
    </div>
  );
}
