import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Fact, Facts, Section } from '@/components/ui/section';
import type { Estate, Route } from '@/contracts/api';
import { useInstancesNow } from '@/hooks/use-now';
import { ageText } from '@/live/age';
import type { RouteUse } from '@/live/summary';
import type { DatabasePath } from '@/topology/selection';

type Props = { estate: Estate; path: DatabasePath; route: Route; use: RouteUse | null };

/** The messages of a route: how many wait and why, with a link to them, and how many arrived. */
export function RouteTraffic({ estate, path, route, use }: Props) {
  const { t } = useTranslation('inspector');
  const now = useInstancesNow() / 1000;
  return (
    <Section title={t('route.traffic')}>
      {use === null ? (
        t('route.unused')
      ) : (
        <Facts>
          <Fact label={t('route.waiting')}>
            {use.messages === 0 ? (
              t('route.noneWait')
            ) : (
              <Link to={waitingAddress(estate.name, path, route, use)}>
                {t('route.wait', { count: use.messages, number: use.number ?? 'none' })}
                {use.oldest !== null && t('route.waitSince', { age: ageText(now - use.oldest) })}
              </Link>
            )}
          </Fact>
          <Fact label={t('route.delivered')}>{t('route.count', { count: use.delivered })}</Fact>
        </Facts>
      )}
    </Section>
  );
}

/** Where the messages of a route that wait are listed: those of its service and, if they have one, of its number. */
function waitingAddress(estate: string, path: DatabasePath, route: Route, use: RouteUse): string {
  const query = new URLSearchParams({
    instance: path.instance,
    database: path.database,
    ...(use.number === null ? {} : { number: String(use.number) }),
    ...(route.service_name === null ? {} : { text: route.service_name }),
  });
  return `/estates/${encodeURIComponent(estate)}/live/transmission-queues?${query.toString()}`;
}
