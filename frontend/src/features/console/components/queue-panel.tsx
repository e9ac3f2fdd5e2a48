import { NumberInput, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';

import { QueueNotice } from '@/components/queue-notice';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';
import { asProblem } from '@/lib/errors';
import { everyService, isQueueWanted } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { counted } from '@/topology/words';

import { peekMessages } from '../api/messages-peek';
import { receiveMessages } from '../api/messages-receive';
import classes from './console-panel.module.css';
import { MessageList } from './message-list';

type QueuePath = DatabasePath & { queue: string };

/** A queue by hand: look into it, or take messages from it. Until one is chosen it is that of the `expected` service. */
export function QueuePanel({ estate, expected }: { estate: Estate; expected: string | null }) {
  const missing = useMissingRight('operate');
  const [text, setText] = useParameter('queue');
  const queue = parseQueue(text) ?? queueOfService(estate, expected);
  const [top, setTop] = useState<number | string>(10);
  const wanted = Math.min(1000, Math.max(1, Number(top) || 1));
  const act = useMutation({
    mutationFn: async ({ verb, from }: { verb: 'receive' | 'peek'; from: QueuePath }) => {
      const answer =
        verb === 'receive'
          ? await receiveMessages(estate.name, from, from.queue, wanted)
          : await peekMessages(estate.name, from, from.queue, wanted);
      return { verb, from, messages: answer.messages };
    },
  });
  const barred = missing ?? (queue === null ? 'Choose a queue.' : null);
  const run = (verb: 'receive' | 'peek') => () => {
    if (queue !== null) {
      act.mutate({ verb, from: queue });
    }
  };

  return (
    <div className={classes.stack}>
      <Select
        label="Queue"
        placeholder="Choose a queue"
        searchable
        data={queueGroups(estate)}
        value={queue === null ? null : formatQueue(queue)}
        onChange={setText}
        classNames={{ input: classes.mono ?? '' }}
        maxDropdownHeight={320}
      />
      {queue !== null && <QueueDepth estate={estate} path={queue} />}
      <div className={classes.row}>
        <NumberInput label="Top" w={96} min={1} max={1000} clampBehavior="strict" value={top} onChange={setTop} />
        <GuardedButton barred={barred} size="sm" loading={act.isPending && act.variables.verb === 'receive'} onClick={run('receive')}>
          Receive
        </GuardedButton>
        <GuardedButton barred={barred} size="sm" variant="default" loading={act.isPending && act.variables.verb === 'peek'} onClick={run('peek')}>
          Look, take nothing
        </GuardedButton>
      </div>
      {act.isError && <ProblemPanel problem={asProblem(act.error)} />}
      {act.isSuccess && (
        <MessageList
          heading={
            act.data.verb === 'receive'
              ? `${counted(act.data.messages.length, 'message')} received from ${act.data.from.queue}`
              : `The first ${counted(act.data.messages.length, 'message')} of ${act.data.from.queue}`
          }
          messages={act.data.messages}
        />
      )}
    </div>
  );
}

function QueueDepth({ estate, path }: { estate: Estate; path: QueuePath }) {
  const queue = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases
      .find((one) => one.name === path.database)
      ?.queues.find((one) => one.name === path.queue),
  );
  if (queue === undefined) {
    return <p className={classes.none}>How much waits in it is not known.</p>;
  }
  const early = queue.disabled === 0 ? '' : `, ${queue.disabled.toLocaleString('en')} arrived early`;
  return (
    <>
      <p className={classes.none} role="status">
        {counted(queue.ready, 'message')} ready{early}.
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
