import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Section } from '@/components/ui/section';
import type { LiveInstance } from '@/live/compose';

import classes from './inspector.module.css';

/** Outgoing connections now, and why one is down. */
export function LiveConnections({ live }: { live: LiveInstance | undefined }) {
  const { t } = useTranslation('inspector');
  const connections = live?.view?.connections ?? undefined;
  return (
    <Section title={t('connections.heading')}>
      {connections === undefined ? (
        <p className={classes.none}>{t('connections.unknown')}</p>
      ) : connections.length === 0 ? (
        <p className={classes.none}>{t('connections.none')}</p>
      ) : (
        <ul className={classes.list}>
          {connections.map((connection) => (
            <li key={connection.address} className={classes.item} title={connection.detail}>
              <span className={classes.mono}>{connection.address.replace(/^tcp:\/\//i, '')}</span>
              <span className={classes.aside}>
                <Badge
                  verdict={
                    connection.error !== null ? 'lost' : connection.state === 'LOGGED_IN' ? 'delivered' : undefined
                  }
                >
                  {connection.state}
                  {connection.error !== null && ` · ${connection.error}`}
                </Badge>
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
