import { Button, NativeSelect, Textarea } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import type { TrainingOutput, TrainingServer, TrainingSession } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { runScript } from '../api/training';
import { Outputs } from './outputs';
import classes from './training.module.css';

type Place = { instance: string; database: string };
/** What was typed at a database, and what it has answered. */
type Desk = { text: string; outputs: TrainingOutput[] };

const empty: Desk = { text: '', outputs: [] };

function placesOf(servers: TrainingServer[]): Place[] {
  return servers.flatMap(({ name, databases }) => databases.map((database) => ({ instance: name, database })));
}

type Props = { session: TrainingSession; onRan: (session: TrainingSession) => void };

/** T-SQL for each database of each instance. */
export function SqlPane({ session, onRan }: Props) {
  const { t } = useTranslation('training');
  const places = placesOf(session.servers);
  const [chosen, choose] = useState<string | null>(null);
  const [desks, setDesks] = useState<Record<string, Desk>>({});
  const editor = useRef<HTMLTextAreaElement>(null);
  const keyOf = ({ instance, database }: Place) => JSON.stringify([instance, database]);
  const own = places.find(({ database }) => !['master', 'msdb'].includes(database)) ?? places[0];
  const place = places.find((each) => keyOf(each) === chosen) ?? own;
  const run = useMutation({
    mutationFn: (given: Place & { script: string }) => runScript(session.run.id, given),
    onSuccess: (told, given) => {
      const key = keyOf(given);
      setDesks((all) => ({ ...all, [key]: { ...(all[key] ?? empty), outputs: told.outputs } }));
      onRan(told.session);
    },
  });
  if (place === undefined) {
    return null;
  }
  const key = keyOf(place);
  const desk = desks[key] ?? empty;
  const start = () => {
    const field = editor.current;
    const selected = field === null ? '' : desk.text.slice(field.selectionStart, field.selectionEnd);
    const script = selected.trim() === '' ? desk.text : selected;
    if (script.trim() !== '' && !run.isPending) {
      run.mutate({ ...place, script });
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.key === 'Enter' && (event.ctrlKey || event.metaKey)) || event.key === 'F5') {
      event.preventDefault();
      start();
    }
  };
  return (
    <section className={classes.sql} aria-label={t('sql.label')}>
      <div className={classes.sqlBar}>
        <NativeSelect
          size="xs"
          aria-label={t('sql.place')}
          value={key}
          data={places.map((each) => ({ value: keyOf(each), label: `${each.instance} · ${each.database}` }))}
          onChange={(event) => {
            choose(event.currentTarget.value);
          }}
        />
        <Button
          size="xs"
          leftSection={<IconPlayerPlay size={14} />}
          loading={run.isPending}
          disabled={desk.text.trim() === ''}
          onClick={start}
        >
          {t('sql.run')}
        </Button>
        <span className={classes.faint}>{t('sql.keys')}</span>
      </div>
      <Textarea
        ref={editor}
        aria-label={t('sql.script')}
        classNames={{ input: classes.editor ?? '' }}
        autosize
        minRows={7}
        maxRows={18}
        spellCheck={false}
        value={desk.text}
        onKeyDown={onKeyDown}
        onChange={(event) => {
          const text = event.currentTarget.value;
          setDesks((all) => ({ ...all, [key]: { ...(all[key] ?? empty), text } }));
        }}
      />
      {run.error !== null && <ProblemPanel problem={asProblem(run.error)} />}
      <Outputs outputs={desk.outputs} />
    </section>
  );
}
