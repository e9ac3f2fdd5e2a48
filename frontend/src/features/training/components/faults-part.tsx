import { Button, NativeSelect } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { TrainingFault, TrainingServer, TrainingSession } from '@/contracts/api';

import type { Act } from '../use-run';
import classes from './training.module.css';

type Fault = TrainingFault['fault'];

/** What can be broken by a button: servers, links, endpoints, and databases of one's own. */
function offers(servers: TrainingServer[]): Fault[] {
  const nothing = { other: null, database: null, queue: null };
  const links = servers.flatMap(({ name }, at) =>
    servers.slice(at + 1).map((far) => ({ ...nothing, kind: 'link' as const, instance: name, other: far.name })),
  );
  const parts = servers.flatMap(({ name, databases }) => [
    { ...nothing, kind: 'instance' as const, instance: name },
    { ...nothing, kind: 'endpoint' as const, instance: name },
    ...databases
      .filter((database) => !['master', 'msdb'].includes(database))
      .map((database) => ({ ...nothing, kind: 'database' as const, instance: name, database })),
  ]);
  return [...parts, ...links];
}

function useFaultWords() {
  const { t } = useTranslation('training');
  return ({ kind, instance, other, database, queue }: Fault) =>
    t(`fault.${kind}`, { instance, other: other ?? '', database: database ?? '', queue: queue ?? '' });
}

type Props = {
  session: TrainingSession;
  isBusy: boolean;
  onAct: Act;
};

/** What is broken now, and the way to break more. */
export function FaultsPart({ session, isBusy, onAct }: Props) {
  const { t } = useTranslation('training');
  const words = useFaultWords();
  const [chosen, choose] = useState('');
  const all = offers(session.servers);
  const fault = all.find((each) => words(each) === chosen) ?? all[0];
  return (
    <>
      {session.faults.length === 0 && <p className={classes.faint}>{t('fault.nothing')}</p>}
      <ul className={classes.faults}>
        {session.faults.map(({ fault: each, is_own: isOwn }) => (
          <li key={words(each)}>
            <Badge verdict="lost">{words(each)}</Badge>
            {isOwn && session.is_own && (
              <Button
                size="compact-xs"
                variant="default"
                disabled={isBusy}
                aria-label={t('fault.mendNamed', { fault: words(each) })}
                onClick={() => {
                  onAct((deeds) => deeds.mend(each));
                }}
              >
                {t('fault.mend')}
              </Button>
            )}
          </li>
        ))}
      </ul>
      {session.is_own && session.rules.may_stop_clock && fault !== undefined && (
        <div className={classes.breaking}>
          <NativeSelect
            size="xs"
            aria-label={t('fault.which')}
            value={words(fault)}
            data={all.map(words)}
            onChange={(event) => {
              choose(event.currentTarget.value);
            }}
          />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconBolt size={14} />}
            disabled={isBusy}
            onClick={() => {
              onAct((deeds) => deeds.breakIt(fault));
            }}
          >
            {t('fault.begin')}
          </Button>
        </div>
      )}
    </>
  );
}
