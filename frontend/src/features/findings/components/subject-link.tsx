import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import type { FindingSubject } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { selectionOfSubject } from '@/topology/findings';
import { subjectKindText } from '@/topology/object-words';
import { formatSelection } from '@/topology/selection';

import classes from './findings-panel.module.css';

/** An object of the estate, as a link that selects it on the canvas. */
export function SubjectLink({ subject, isWhole = false }: { subject: FindingSubject; isWhole?: boolean }) {
  const { t } = useTranslation('findings');
  const { name: estate } = useEstatePage();
  const { instance, database, kind, name } = subject;
  const select = new URLSearchParams({ select: formatSelection(selectionOfSubject(subject)) }).toString();
  const place = database === null ? instance : `${instance} · ${database}`;
  const isPlace = kind === 'instance' || kind === 'database';
  return (
    <Link
      className={classes.subject}
      data-whole={isWhole}
      to={`/estates/${encodeURIComponent(estate)}/topology?${select}`}
      onClick={(event) => {
        // The row behind it opens the details.
        event.stopPropagation();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
      }}
    >
      <span className={classes.place}>{place}</span>
      {!isPlace && (
        <span className={classes.object} title={name}>
          {subjectKindText(kind)} <b>{name}</b>
        </span>
      )}
      <VisuallyHidden>{t('show')}</VisuallyHidden>
    </Link>
  );
}
