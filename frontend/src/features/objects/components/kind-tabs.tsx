import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Explained } from '@/components/glossary/explained';
import { useDraftNumber } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import type { TermName } from '@/i18n/terms';

import { objectCountsQuery } from '../api/objects-read';
import { listed, type KindName } from '../kinds';
import classes from './objects.module.css';

/** Kinds that are terms of the glossary. */
const meant: Partial<Record<KindName, TermName>> = {
  instance: 'instance',
  service: 'service',
  queue: 'queue',
  contract: 'contract',
  'message-type': 'messageType',
  route: 'route',
  endpoint: 'endpoint',
  'remote-service-binding': 'remoteServiceBinding',
  priority: 'conversationPriority',
};

/** Every kind of object with how many there are. Mirrors are the databases that have a partner. */
export function KindTabs({ kind, isMirrors }: { kind: KindName; isMirrors: boolean }) {
  const { t } = useTranslation('objects');
  const { name: estate } = useEstatePage();
  const draft = useDraftNumber();
  const { data } = useQuery(objectCountsQuery(estate, draft));
  const address = (to: KindName, query: Record<string, string> = {}) => {
    const search = new URLSearchParams({ ...(draft === null ? {} : { draft: String(draft) }), ...query }).toString();
    return `/estates/${encodeURIComponent(estate)}/objects/${to}${search === '' ? '' : `?${search}`}`;
  };
  return (
    <nav className={classes.tabs} aria-label={t('kindsLabel')}>
      {listed.map((each) => (
        <Explained key={each} name={meant[each]}>
          <Link
            to={address(each)}
            className={classes.tab}
            aria-current={each === kind && !isMirrors ? 'page' : undefined}
          >
            {t(`kinds.${each}.plural`)}
            <small>{data?.[each] ?? ''}</small>
          </Link>
        </Explained>
      ))}
      <Explained name="mirroring">
        <Link
          to={address('database', { target: ':' })}
          className={classes.tab}
          aria-current={isMirrors ? 'page' : undefined}
        >
          {t('mirrors')}
        </Link>
      </Explained>
    </nav>
  );
}
