import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { verdictOfLight } from '@/components/what-if/words';

import classes from './fault-matrix.module.css';

/** What the signs of the matrix mean. */
export function Legend() {
  const { t } = useTranslation(['faults', 'whatif']);
  return (
    <ul className={classes.legend} aria-label={t('legend.label')}>
      {(['green', 'amber', 'red'] as const).map((light) => (
        <li key={light}>
          <VerdictIcon verdict={verdictOfLight(light)} size={14} />
          {t(`whatif:light.${light}.word`)}
        </li>
      ))}
      {(['lost', 'moved', 'gained'] as const).map((change) => (
        <li key={change}>
          <span aria-hidden className={classes.swatch} data-change={change} />
          {t(`legend.${change}`)}
        </li>
      ))}
      <li>
        <span aria-hidden className={classes.dead}>
          {t('matrix.deadShort')}
        </span>
        {t('legend.dead')}
      </li>
      <li className={classes.keys}>{t('legend.keys')}</li>
    </ul>
  );
}
