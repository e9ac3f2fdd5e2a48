import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { useAsk } from '../use-question';
import classes from './what-if-panel.module.css';

/** Where nobody has the service: what is called almost so. A name spelled otherwise is a likelier cure than a route. */
export function NearNames({ service, names }: { service: string; names: readonly string[] }) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  return names.length === 0 ? null : (
    <div role="status" className={classes.near}>
      <p>{t('ask.near', { service })}</p>
      {names.map((name) => (
        <Button
          key={name}
          size="xs"
          variant="filled"
          classNames={{ label: classes.nearName ?? '' }}
          onClick={() => {
            ask({ to: name });
          }}
        >
          {name}
        </Button>
      ))}
    </div>
  );
}
