import { Loader } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import classes from './run-bar.module.css';

/** What is shorter is not worth a word. */
const patienceMilliseconds = 600;

/** That the simulation computes, and for how many seconds by now: how long it takes nobody knows before. */
export function Waiting({ isBusy }: { isBusy: boolean }) {
  return isBusy ? <Elapsed /> : null;
}

function Elapsed() {
  const { t } = useTranslation('training');
  const [since] = useState(() => Date.now());
  const [milliseconds, setMilliseconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => {
      setMilliseconds(Date.now() - since);
    }, 200);
    return () => {
      clearInterval(timer);
    };
  }, [since]);
  if (milliseconds < patienceMilliseconds) {
    return null;
  }
  return (
    <span className={classes.waiting} role="status">
      <Loader size={14} />
      {t('waiting', { seconds: Math.floor(milliseconds / 1000) })}
    </span>
  );
}
