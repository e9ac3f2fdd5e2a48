import type { Column } from '@/components/ui/data-table';
import { SeveritySign } from '@/components/severity-sign';
import type { Finding } from '@/contracts/api';

import classes from './findings-panel.module.css';
import { SubjectLink } from './subject-link';

export const columns: readonly Column<Finding>[] = [
  { id: 'severity', title: 'Severity', width: 100, cell: ({ severity }) => <SeveritySign severity={severity} /> },
  { id: 'code', title: 'Check', width: 88, hint: 'docs/operations/diagnosis.md lists them all', cell: ({ code }) => <code>{code}</code> },
  { id: 'subject', title: 'Object', width: 260, cell: ({ subject }) => <SubjectLink subject={subject} /> },
  {
    id: 'text',
    title: 'What is wrong',
    cell: ({ text, title, suppression }) => (
      <span title={text} data-suppressed={suppression !== null} className={classes.text}>
        <strong>{title}.</strong> {text}
      </span>
    ),
  },
  {
    id: 'since',
    title: 'Since',
    width: 98,
    hint: 'The revision in which it was first seen',
    cell: ({ first_revision }) => (first_revision === null ? 'new' : `revision ${first_revision}`),
  },
];
