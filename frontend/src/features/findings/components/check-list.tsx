import { useTranslation } from 'react-i18next';

import type { Findings } from '@/contracts/api';

import classes from './findings-panel.module.css';

/** Which checks ran, and which could not and why. */
export function CheckList({ findings }: { findings: Findings }) {
  const { t } = useTranslation('findings');
  return (
    <div className={classes.checks}>
      <section>
        <h2>{t('checked')}</h2>
        <ul>
          {findings.checked.map(({ code, title }) => (
            <li key={code}>
              <code>{code}</code> {title}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h2>{t('unchecked')}</h2>
        <ul>
          {findings.unchecked.map(({ code, title, reason }) => (
            <li key={code}>
              <code>{code}</code> {title}. <span>{reason}</span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
