import { useQueryClient } from '@tanstack/react-query';
import { useContext, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { placeAmong, type Place } from '@/components/sql-console/place-picker';
import { SessionPanel } from '@/components/sql-console/session-panel';
import { keepPlace, keptPlace } from '@/components/sql-console/store';
import type { TrainingSession } from '@/contracts/api';
import { EstateContext } from '@/hooks/use-estate-page';

import { trainingKeys } from '../api/training';
import classes from './training.module.css';

/** T-SQL in the sandbox of a run, in a session as on the page *T-SQL*; tasks are looked at anew after each script. */
export function SqlPane({ session: { run, estate, servers } }: { session: TrainingSession }) {
  const { t } = useTranslation('training');
  const queries = useQueryClient();
  const model = useContext(EstateContext);
  const [chosen, choose] = useState<Place | null>(null);
  const place = placeAmong(servers, chosen ?? (estate === null ? undefined : keptPlace(estate)) ?? {});
  if (estate === null || place === null) {
    return null;
  }
  return (
    <section className={classes.sql} aria-label={t('sql.label')}>
      <SessionPanel
        isFramed
        estate={estate}
        model={model?.name === estate ? model : null}
        servers={servers}
        place={place}
        onPlace={(next) => {
          keepPlace(estate, next);
          choose(next);
        }}
        onRan={() => {
          void queries.invalidateQueries({ queryKey: trainingKeys.run(run.id), exact: true });
        }}
      />
    </section>
  );
}
