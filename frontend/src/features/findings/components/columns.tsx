import type { TFunction } from 'i18next';

import type { Column } from '@/components/ui/data-table';
import { SeveritySign } from '@/components/severity-sign';
import type { Finding } from '@/contracts/api';

import classes from './findings-panel.module.css';
import { SubjectLink } from './subject-link';

export const columns = (t: TFunction<'findings'>): readonly Column<Finding>[] => [
  {
    id: 'severity',
    title: t('column.severity'),
    width: 168,
    cell: ({ severity }) => <SeveritySign severity={severity} />,
  },
  {
    id: 'code',
    title: t('column.check'),
    width: 88,
    hint: t('column.checkHint'),
    cell: ({ code }) => <code>{code}</code>,
  },
  { id: 'subject', title: t('column.object'), width: 320, cell: ({ subject }) => <SubjectLink subject={subject} /> },
  {
    id: 'text',
    title: t('column.text'),
    cell: ({ text, title, suppression }) => (
      <span title={text} data-suppressed={suppression !== null} className={classes.text}>
        <strong>{title}.</strong> {text}
      </span>
    ),
  },
  {
    id: 'since',
    title: t('column.since'),
    width: 98,
    hint: t('column.sinceHint'),
    cell: ({ first_revision }) => (first_revision === null ? t('new') : t('revision', { revision: first_revision })),
  },
];
