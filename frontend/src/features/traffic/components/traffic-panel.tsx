import { Skeleton } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { PageProblem } from '@/components/ui/page';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { TrafficOffer, TrafficPair, TrafficRun } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';

import { isUnderWay, startTraffic, stopTraffic, trafficOffersQuery, trafficQuery } from '../api/traffic';
import { pairKey, pairOf, pairRows, type Terms } from '../rows';
import { settingsOf } from '../settings';
import { ErrorList } from './error-list';
import { OtherPair } from './other-pair';
import { PairTable } from './pair-table';
import { RunStatus } from './run-status';
import { SettingsForm } from './settings-form';
import classes from './traffic.module.css';

/** Test traffic of the estate: what it is to do, the button that starts and stops it, and what it does. */
export function TrafficPanel() {
  const { t } = useTranslation('traffic');
  const estate = useEstatePage();
  const run = useQuery(trafficQuery(estate.name));
  const offers = useQuery(trafficOffersQuery(estate.name, estate.revision));
  const failed = run.error ?? offers.error;
  if (run.data === undefined || offers.data === undefined) {
    return failed === null ? (
      <Skeleton height={320} role="progressbar" aria-label={t('reading')} />
    ) : (
      <PageProblem problem={asProblem(failed)} onRetry={() => void Promise.all([run.refetch(), offers.refetch()])} />
    );
  }
  return <Traffic key={estate.name} run={run.data} offers={offers.data} />;
}

function Traffic({ run, offers }: { run: TrafficRun; offers: TrafficOffer[] }) {
  const estate = useEstatePage();
  const [settings, setSettings] = useState(() => settingsOf(run));
  const [own, setOwn] = useState<TrafficPair[]>([]);
  const [picked, setPicked] = useState<Record<string, Terms>>({});
  const [left, setLeft] = useState<ReadonlySet<string>>(() => leftOut(run, offers));
  const rows = pairRows(offers, own, run, picked);
  const wanted = rows.filter(({ key }) => !left.has(key));
  const isLocked = isUnderWay(run);
  const { start, stop } = useSwitch(estate.name);
  const refused = start.error ?? stop.error;
  const shown = isLocked ? rows.filter(({ figures }) => figures !== null || run.pairs.length === 0) : rows;
  return (
    <div className={classes.traffic}>
      <div className={classes.side}>
        <RunStatus
          run={run}
          pairs={wanted.length}
          settings={settings}
          isBusy={start.isPending || stop.isPending}
          onStart={() => {
            const { rate, size, replyRatio, dialogMessages } = settings;
            start.mutate({
              pairs: wanted.map(pairOf),
              rate,
              size,
              reply_ratio: replyRatio,
              dialog_messages: dialogMessages,
            });
          }}
          onStop={() => {
            stop.mutate();
          }}
        />
        {refused !== null && <ProblemPanel problem={asProblem(refused)} />}
        <SettingsForm settings={isLocked ? settingsOf(run) : settings} isLocked={isLocked} onChange={setSettings} />
      </div>
      <div className={classes.main}>
        <PairTable
          rows={shown}
          left={left}
          isLocked={isLocked}
          onToggle={(key) => {
            setLeft(toggled(left, key));
          }}
          onPick={(key, terms) => {
            setPicked({ ...picked, [key]: terms });
          }}
        />
        {!isLocked && (
          <OtherPair
            estate={estate}
            onAdd={(pair) => {
              const key = pairKey(pair);
              setOwn([...own.filter((each) => pairKey(each) !== key), pair]);
              setPicked({ ...picked, [key]: pair });
              setLeft(new Set([...left].filter((each) => each !== key)));
            }}
          />
        )}
        <ErrorList rows={shown} />
      </div>
    </div>
  );
}

function useSwitch(estate: string) {
  const queries = useQueryClient();
  const onSuccess = (run: TrafficRun) => {
    queries.setQueryData(keys.traffic(estate), run);
  };
  const start = useMutation({ mutationFn: startTraffic.bind(null, estate), onSuccess });
  const stop = useMutation({ mutationFn: () => stopTraffic(estate), onSuccess });
  return { start, stop };
}

/** What the newest run had left out of what is on offer; before the first one, nothing. */
function leftOut(run: TrafficRun, offers: readonly TrafficOffer[]): ReadonlySet<string> {
  const ran = run.plan?.pairs.map(pairKey);
  return new Set(ran === undefined ? [] : offers.map(pairKey).filter((key) => !ran.includes(key)));
}

function toggled(set: ReadonlySet<string>, key: string): ReadonlySet<string> {
  return set.has(key) ? new Set([...set].filter((each) => each !== key)) : new Set([...set, key]);
}
