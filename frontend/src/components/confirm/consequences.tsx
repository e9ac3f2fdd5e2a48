import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './confirm.module.css';

/** What will be so afterwards, sentence by sentence, before it is done. */
export function Consequences({ of, children }: { of: string; children: readonly ReactNode[] }) {
  const { t } = useTranslation('components');
  return (
    <section className={classes.consequences} aria-label={t('consequences.of', { title: of })}>
      <h4>{t('consequences.heading')}</h4>
      <ul>
        {children.map((sentence, index) => (
          <li key={index}>{sentence}</li>
        ))}
      </ul>
    </section>
  );
}
