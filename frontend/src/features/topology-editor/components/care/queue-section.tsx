import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Section } from '@/components/ui/section';
import { QueueNotice } from '@/components/queue-notice';
import type { Database } from '@/contracts/api';
import type { DatabasePath } from '@/topology/selection';

import classes from './care.module.css';
import { useLiveDatabase } from '@/hooks/use-live-database';

/** The queues of a database; one that is off says why. */
export function QueueSection({ estate, path, database }: { estate: string; path: DatabasePath; database: Database }) {
  const { t } = useTranslation('care');
  const live = useLiveDatabase(path);
  return (
    <Section title={t('queues.heading', { count: database.queues.length })}>
      {database.queues.length === 0 && <p className={classes.none}>{t('queues.none')}</p>}
      <ul className={classes.list}>
        {database.queues.map((queue) => {
          const now = live?.queues?.find((one) => one.name === queue.name);
          return (
            <li key={queue.name}>
              <div className={classes.queue}>
                <span>{queue.name}</span>
                {now === undefined ? (
                  <Badge verdict="unknown">{t('queues.unknown')}</Badge>
                ) : (
                  <Badge verdict={now.is_enabled ? 'delivered' : 'lost'}>
                    {now.is_enabled ? t('queues.on') : t('queues.off')}
                  </Badge>
                )}
              </div>
              {now !== undefined && <QueueNotice estate={estate} path={path} queue={now} isWanted={queue.is_enabled} />}
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
