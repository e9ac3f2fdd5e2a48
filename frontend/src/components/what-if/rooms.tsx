import { useTranslation } from 'react-i18next';
import { NavLink, useSearchParams } from 'react-router';

import { useEstatePage } from '@/hooks/use-estate-page';

import classes from './what-if.module.css';

/** What the rooms of what-ifs have in common: who sends to whom, and what that is asked of. */
const common = ['from', 'to', 'id', 'contract', 'type', 'draft', 'revision', 'at', 'faults'] as const;

/** The ways of asking: one flow, or a question whose answer is a table. What is asked of goes along. */
export function WhatIfRooms() {
  const { t } = useTranslation('whatif');
  const { name } = useEstatePage();
  const [parameters] = useSearchParams();
  const kept = new URLSearchParams(
    common.flatMap((each) => {
      const value = parameters.get(each);
      return value === null ? [] : [[each, value]];
    }),
  );
  const base = `/estates/${encodeURIComponent(name)}/whatif`;
  const search = kept.size === 0 ? '' : `?${kept.toString()}`;
  return (
    <nav className={classes.rooms} aria-label={t('rooms.label')}>
      <NavLink end to={`${base}${search}`}>
        {t('rooms.flow')}
      </NavLink>
      <NavLink to={`${base}/questions${search}`}>{t('rooms.questions')}</NavLink>
    </nav>
  );
}
