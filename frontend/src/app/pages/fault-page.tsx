import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router';

import { asProblem } from '@/lib/errors';

import classes from './fault-page.module.css';

/** What is left when a page breaks: the reason, and a way back. */
export function FaultPage() {
  const { t } = useTranslation('shell');
  const { why } = asProblem(useRouteError());
  return (
    <main className={classes.page} role="alert">
      <h1>{t('fault.heading')}</h1>
      <p>{t('fault.text')}</p>
      <pre>{why}</pre>
      <Button
        onClick={() => {
          window.location.assign('/');
        }}
      >
        {t('fault.again')}
      </Button>
    </main>
  );
}
