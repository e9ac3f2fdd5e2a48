import { useTranslation } from 'react-i18next';

import { placeAmong } from '@/components/sql-console/place-picker';
import { SessionPanel } from '@/components/sql-console/session-panel';
import { keepPlace, keptPlace } from '@/components/sql-console/store';
import { EmptyState } from '@/components/ui/empty-state';
import { useEstatePage } from '@/hooks/use-estate-page';
import { usePerson } from '@/hooks/use-rights';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { isSandbox } from '@/topology/sandbox';

/**
 * The T-SQL console of an estate: a session on the database that stands in the address, else on the one that was chosen
 * last, else on the first.
 */
export function SqlConsole() {
  const { t } = useTranslation('sql');
  const estate = useEstatePage();
  const [instance] = useParameter('instance');
  const [database] = useParameter('database');
  const setAll = useSetParameters();
  const { rights } = usePerson();
  const servers = estate.instances.map(({ name, databases }) => ({
    name,
    databases: databases.map((each) => each.name),
  }));
  const place = placeAmong(
    servers,
    instance === null ? (keptPlace(estate.name) ?? {}) : { instance, ...(database === null ? {} : { database }) },
  );
  if (place === null) {
    return <EmptyState>{t('noDatabase', { estate: estate.name })}</EmptyState>;
  }
  if (!rights.includes('operate') && !isSandbox(estate.name)) {
    return <EmptyState>{t('noRight')}</EmptyState>;
  }
  return (
    <SessionPanel
      // The session belongs to its estate: another one begins afresh.
      key={estate.name}
      estate={estate.name}
      model={estate}
      servers={servers}
      place={place}
      onPlace={(chosen) => {
        keepPlace(estate.name, chosen);
        setAll(chosen);
      }}
    />
  );
}
