import { Button, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { QueueNotice } from '@/components/queue-notice';
import { BoundedNumber, boundedNumber } from '@/components/ui/bounded-number';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Estate } from '@/contracts/api';
import { useNow } from '@/hooks/use-now';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import { i18n } from '@/i18n';
import { useLiveStore } from '@/lib/live-store';
import { asProblem } from '@/lib/errors';
import { everyService, isQueueWanted } from '@/topology/lookup';

import { useQueueAction, type QueuePath, type QueueVerb } from '../use-queue-action';
import classes from './console-panel.module.css';
import { MessageList } from './message-list';

/** The longest the server lets one request wait. */
const secondsMax = 30;

/** Messages that one RECEIVE takes at most. */
const topMax = 1000;

/**
 * A queue by hand: look into it, or take messages from it. Until one is chosen it is that of the `expected` service.
 */
export function QueuePanel({ estate, expected }: { estate: Estate; expected: string | null }) {
  const { t } = useTranslation(['console', 'components']);
  const missing = { look: useMissingRight('view'), take: useMissingRight('operate') };
  const [text, setText] = useParameter('queue');
  const queue = parseQueue(text) ?? queueOfService(estate, expected);
  const [top, setTop] = useState<number | string>(10);
  const wanted = boundedNumber(top, 1, topMax);
  const [wait, setWait] = useState<number | string>(secondsMax);
  const seconds = boundedNumber(wait, 1, secondsMax);
  const { act, endsAt, stop } = useQueueAction(estate.name);
  const unchosen = queue === null ? t('queue.chooseFirst') : null;
  const unbounded = wanted === null || seconds === null ? t('components:boundsFirst') : null;
  const barred = missing.take ?? unchosen ?? unbounded;
  const run = (verb: QueueVerb) => () => {
    if (queue !== null && wanted !== null && seconds !== null) {
      act.mutate({ verb, from: queue, top: wanted, seconds });
    }
  };

  return (
    <div className={classes.stack}>
      <Select
        label={t('queue.label')}
        placeholder={t('queue.choose')}
        searchable
        data={queueGroups(estate)}
        value={queue === null ? null : formatQueue(queue)}
        onChange={setText}
        classNames={{ input: classes.mono ?? '' }}
        maxDropdownHeight={320}
      />
      {queue !== null && <QueueDepth estate={estate} path={queue} />}
      <div className={classes.row}>
        <BoundedNumber label={t('queue.top')} w={96} min={1} max={topMax} value={top} onChange={setTop} />
        <GuardedButton
          barred={barred}
          size="sm"
          loading={act.isPending && act.variables.verb === 'receive'}
          onClick={run('receive')}
        >
          {t('queue.receive')}
        </GuardedButton>
        <GuardedButton
          barred={missing.look ?? unchosen}
          size="sm"
          variant="default"
          loading={act.isPending && act.variables.verb === 'peek'}
          onClick={run('peek')}
        >
          {t('queue.peek')}
        </GuardedButton>
      </div>
      <div className={classes.row}>
        <BoundedNumber label={t('queue.seconds')} w={96} min={1} max={secondsMax} value={wait} onChange={setWait} />
        {endsAt === null ? (
          <GuardedButton barred={barred} size="sm" variant="default" onClick={run('wait')}>
            {t('queue.wait')}
          </GuardedButton>
        ) : (
          <Waiting endsAt={endsAt} onStop={stop} />
        )}
      </div>
      {act.isError && <ProblemPanel problem={asProblem(act.error)} />}
      {act.isSuccess && <MessageList heading={headingOf(act.data)} messages={act.data.messages} />}
    </div>
  );
}

function Waiting({ endsAt, onStop }: { endsAt: number; onStop: () => void }) {
  const { t } = useTranslation('console');
  // The page's clock shows whole seconds, so the end is one too: the first number is the one that was asked for.
  const left = Math.max(0, Math.floor(endsAt / 1000) - useNow() / 1000);
  return (
    <>
      <Button size="sm" variant="default" onClick={onStop}>
        {t('queue.stop')}
      </Button>
      <span role="timer" className={classes.left}>
        {t('queue.left', { count: left })}
      </span>
    </>
  );
}

type Done = { verb: QueueVerb; from: QueuePath; seconds: number; messages: readonly unknown[]; isStopped: boolean };

function headingOf({ verb, from: { queue }, seconds, messages, isStopped }: Done): string {
  if (isStopped) {
    return i18n.t('console:queue.stopped', { queue });
  }
  if (verb === 'wait' && messages.length === 0) {
    return i18n.t('console:queue.nothingCame', { queue, seconds });
  }
  return i18n.t(verb === 'peek' ? 'console:queue.peeked' : 'console:queue.received', { queue, count: messages.length });
}

function QueueDepth({ estate, path }: { estate: Estate; path: QueuePath }) {
  const { t } = useTranslation('console');
  const queue = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases
      .find((one) => one.name === path.database)
      ?.queues?.find((one) => one.name === path.queue),
  );
  if (queue === undefined) {
    return <p className={classes.none}>{t('queue.depthUnknown')}</p>;
  }
  const { ready, disabled: early } = queue;
  return (
    <>
      <p className={classes.none} role="status">
        {early === 0 ? t('queue.depth', { ready }) : t('queue.depthEarly', { ready, early })}
      </p>
      <QueueNotice estate={estate.name} path={path} queue={queue} isWanted={isQueueWanted(estate, path, path.queue)} />
    </>
  );
}

function formatQueue({ instance, database, queue }: QueuePath): string {
  return [instance, database, queue].map(encodeURIComponent).join('/');
}

function parseQueue(text: string | null): QueuePath | null {
  const [instance, database, queue] = text?.split('/').map(decodeURIComponent) ?? [];
  return instance === undefined || database === undefined || queue === undefined ? null : { instance, database, queue };
}

function queueOfService(estate: Estate, service: string | null): QueuePath | null {
  const found = everyService(estate).find(({ value }) => value.name === service);
  return found === undefined ? null : { instance: found.instance, database: found.database, queue: found.value.queue };
}

function queueGroups(estate: Estate) {
  return estate.instances.flatMap((instance) =>
    instance.databases
      .filter((database) => database.queues.length > 0)
      .map((database) => ({
        group: `${instance.name} · ${database.name}`,
        items: database.queues.map((queue) => ({
          value: formatQueue({ instance: instance.name, database: database.name, queue: queue.name }),
          label: queue.name,
        })),
      })),
  );
}
