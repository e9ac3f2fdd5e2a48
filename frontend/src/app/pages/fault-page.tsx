import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router';

import { useReloadWhenServed } from '@/hooks/use-reload-when-served';
import { asProblem } from '@/lib/errors';

import classes from './fault-page.module.css';

/** What is left when all of it breaks: the reason, and a way back. */
export function FaultPage() {
  return (
    <main>
      <Fault />
    </main>
  );
}

/** How browsers and the loader of pages word that a page's code did not come. */
const unfetched = /preload|dynamically imported|importing a module/i;

/** In place of a page that broke or did not come; the frame around it stays, with its links to other pages. */
export function PageFault() {
  const { why } = asProblem(useRouteError());
  return unfetched.test(why) ? <Unfetched /> : <Fault />;
}

/** It comes by itself once the server serves it; who does not want to wait asks for it. */
function Unfetched() {
  const { t } = useTranslation('shell');
  useReloadWhenServed();
  return (
    <div className={classes.page} role="alert">
      <h1>{t('unfetched.heading')}</h1>
      <p>{t('unfetched.text')}</p>
      <p>{t('unfetched.byItself')}</p>
      <Button
        onClick={() => {
          window.location.reload();
        }}
      >
        {t('unfetched.again')}
      </Button>
    </div>
  );
}

function Fault() {
  const { t } = useTranslation('shell');
  const { why } = asProblem(useRouteError());
  return (
    <div className={classes.page} role="alert">
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
    </div>
  );
}
