import { Button } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { WhatIfLink } from '@/components/what-if/what-if-links';
import { useEstatePage } from '@/hooks/use-estate-page';

import { conversationOf, messageOf, textCell, type RowProps } from '../row-paths';
import classes from './actions.module.css';
import { ExplainPanel } from './explain-panel';
import { BodyButton, MessageBody, useBody } from './message-body';
import { RetryButton } from './retry-button';

/** What can be done about a message that waits: see why, try again, read it. */
export function TransmissionActions({ row, read }: RowProps) {
  const { t } = useTranslation('operations');
  const estate = useEstatePage();
  const [isExplained, explain] = useState(false);
  const path = conversationOf(row, read);
  const body = useBody(messageOf(row, read));
  const [service, to, id] = [
    textCell(row, read, 'from_service_name'),
    textCell(row, read, 'to_service_name'),
    textCell(row, read, 'to_broker_instance'),
  ];
  const awaitsQueue = textCell(row, read, 'awaits_queue') !== '';
  return (
    <>
      <div className={classes.bar}>
        {!awaitsQueue && (
          <Button
            size="compact-sm"
            variant="default"
            aria-expanded={isExplained}
            onClick={() => {
              explain(!isExplained);
            }}
          >
            {t('explain.open')}
          </Button>
        )}
        <RetryButton path={path} number={read(row, 'transmission_status_number') as number | null} />
        <BodyButton reading={body} />
        {service !== '' && to !== '' && (
          <WhatIfLink
            estate={estate}
            from={{ instance: path.instance, database: path.database, service }}
            to={to}
            id={id === '' ? null : id}
            label={t('whatIf')}
            size="compact-sm"
          />
        )}
      </div>
      {isExplained && <ExplainPanel estate={estate.name} path={path} />}
      <MessageBody reading={body} />
    </>
  );
}
