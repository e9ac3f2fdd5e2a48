import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { useSandbox } from '@/hooks/use-sandbox';
import type { GridRow, Read } from '@/live/grid/rows';
import { formatSelection } from '@/topology/selection';

import { textOf } from '../common';
import classes from './conversation.module.css';

/** Where more is to be found about an end of a conversation. */
export function Links({ row, read, estate }: { row: GridRow; read: Read; estate: string }) {
  const { t } = useTranslation('views');
  const sandbox = useSandbox();
  const base = `/estates/${encodeURIComponent(estate)}`;
  const [service, database] = [textOf(row, read, 'service_name'), textOf(row, read, 'database_name')];
  const places = [
    {
      words: t('links.map'),
      to: `${base}/topology?${query({ select: formatSelection({ kind: 'service', instance: row.instance, database, service }) })}`,
    },
    // A sandbox has no lists of objects.
    ...(sandbox === null
      ? [
          {
            words: t('links.service'),
            to: `${base}/objects/service?${query({ object: [row.instance, database, service].map(encodeURIComponent).join('/') })}`,
          },
        ]
      : []),
    {
      words: t('links.transmission'),
      to: `${base}/live/transmission-queues?${query({ text: textOf(row, read, 'conversation_handle') })}`,
    },
    {
      words: t('links.group'),
      to: `${base}/live/conversations?${query({ text: textOf(row, read, 'conversation_group_id') })}`,
    },
  ];
  return (
    <ul className={classes.links}>
      {places.map(({ words, to }) => (
        <li key={words}>
          <Link to={to}>{words}</Link>
        </li>
      ))}
    </ul>
  );
}

function query(values: Record<string, string>): string {
  return new URLSearchParams(values).toString();
}
