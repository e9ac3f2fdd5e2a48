import { useTranslation } from 'react-i18next';
import { NavLink, useSearchParams } from 'react-router';

import { Explained } from '@/components/glossary/explained';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useLiveStore } from '@/lib/live-store';
import type { InstanceView } from '@/live/instance-view';

import { viewNames, viewTerms, type ViewName } from '../views/registry';
import classes from './view-bar.module.css';

/** How much there is of what a view shows, where the summaries tell it. */
const counted: Partial<Record<ViewName, (view: InstanceView) => number>> = {
  conversations: (view) => view.databases.reduce((sum, database) => sum + database.conversation_endpoints_total, 0),
  'transmission-queues': (view) => view.databases.reduce((sum, database) => sum + database.transmission_queue_total, 0),
  forwarded: (view) => view.forwarding_messages,
};

/** The way from one live view to another; the instance that is looked at stays. */
export function ViewBar() {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const [parameters] = useSearchParams();
  const instances = useLiveStore(({ live }) => live.instances);
  const kept = new URLSearchParams();
  for (const name of ['instance', 'database']) {
    const value = parameters.get(name);
    if (value !== null) {
      kept.set(name, value);
    }
  }
  const views = Object.values(instances).flatMap(({ view }) => (view === null ? [] : [view]));
  const isOfNow = estate.instances.every(({ name }) => {
    const one = instances[name];
    return one !== undefined && one.isCurrent && one.view !== null && one.unavailable === null;
  });
  return (
    <nav className={classes.bar} aria-label={t('viewsLabel')}>
      {viewNames.map((name) => {
        const count = counted[name];
        return (
          <Explained key={name} name={viewTerms[name]}>
            <NavLink
              className={classes.tab ?? ''}
              to={{ pathname: `/estates/${encodeURIComponent(estate.name)}/live/${name}`, search: kept.toString() }}
            >
              {t(`views.${name}`)}
              {count !== undefined && (
                <span className={classes.count} title={isOfNow ? undefined : t('doubtfulCountHint')}>
                  {views.length === 0
                    ? t('unknownCount')
                    : t(isOfNow ? 'count' : 'doubtfulCount', {
                        count: views.reduce((sum, view) => sum + count(view), 0),
                      })}
                </span>
              )}
            </NavLink>
          </Explained>
        );
      })}
    </nav>
  );
}
