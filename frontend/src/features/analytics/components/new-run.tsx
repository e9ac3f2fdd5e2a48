import { Radio, Select, TextInput } from '@mantine/core';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Lake, RunJob } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';

import { runAddress } from '../addresses';
import { estimateQuery, startRun, type Range } from '../api/runs';
import { isInOrder, presets, rangeOf, typedInstant, type Preset } from '../ranges';
import { estimateText, jobs } from '../runs';
import classes from './analytics.module.css';
import { noStates, RevisionsField, type States } from './revisions-field';

/** A question for all events: which one, of which time, and how long the answer takes. */
export function NewRun({ lake }: { lake: Lake }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const missing = useMissingRight('operate');
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [job, setJob] = useState<RunJob>('delivery');
  const [preset, setPreset] = useState<Preset>('all');
  const [own, setOwn] = useState<Range>({ since: null, until: null });
  const [states, setStates] = useState<States>(noStates);
  const range = rangeOf(preset, lake.last_at, own);
  const estimate = useQuery({
    ...estimateQuery(estate, job, range, lake.events),
    enabled: lake.is_available && isInOrder(range),
  });
  const begin = useMutation({
    mutationFn: () =>
      startRun(estate, {
        job,
        ...range,
        revisions: job === 'whatif' && states.kind === 'revisions' ? states.revisions : null,
        change_set: job === 'whatif' && states.kind === 'draft' ? states.draft : null,
        examples: null,
      }),
    onSuccess: (run) => {
      void queries.invalidateQueries({ queryKey: keys.runs(estate) });
      void navigate(runAddress(estate, run.id));
    },
  });
  const isIncomplete =
    job === 'whatif' && (states.kind === 'draft' ? states.draft === null : states.revisions === null);
  const barred =
    missing ??
    (!lake.is_available
      ? t('setup.missing')
      : lake.events === 0
        ? t('form.noEvents')
        : !isInOrder(range)
          ? t('form.order')
          : isIncomplete
            ? t('form.states')
            : null);
  return (
    <section className={classes.part} aria-labelledby="new-run">
      <header className={classes.head}>
        <h2 id="new-run">{t('form.title')}</h2>
      </header>
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          begin.mutate();
        }}
      >
        <Radio.Group
          label={t('form.job')}
          value={job}
          onChange={(value) => {
            setJob(value);
          }}
        >
          <div className={classes.jobs}>
            {jobs.map((name) => (
              <Radio.Card key={name} value={name} className={classes.choice ?? ''} aria-label={t(`job.${name}.title`)}>
                <span className={classes.choiceTitle}>
                  <Radio.Indicator size="xs" />
                  {t(`job.${name}.title`)}
                </span>
                <span className={classes.quiet}>{t(`job.${name}.about`)}</span>
              </Radio.Card>
            ))}
          </div>
        </Radio.Group>
        <div className={classes.row}>
          <RangeField preset={preset} own={own} onPreset={setPreset} onOwn={setOwn} />
          {job === 'whatif' && <RevisionsField states={states} onChange={setStates} />}
        </div>
        {begin.error !== null && <ProblemPanel problem={asProblem(begin.error)} />}
        <div className={classes.begin}>
          <GuardedButton
            type="submit"
            barred={barred}
            leftSection={<IconPlayerPlay size={16} />}
            loading={begin.isPending}
          >
            {t('form.start')}
          </GuardedButton>
          <span role="status" className={classes.quiet}>
            {estimate.data !== undefined && barred !== t('form.noEvents') && estimateText(estimate.data)}
          </span>
        </div>
      </form>
    </section>
  );
}

type RangeProps = {
  preset: Preset;
  own: Range;
  onPreset: (preset: Preset) => void;
  onOwn: (range: Range) => void;
};

function RangeField({ preset, own, onPreset, onOwn }: RangeProps) {
  const { t } = useTranslation('analytics');
  return (
    <>
      <Select
        size="xs"
        className={classes.field ?? ''}
        label={t('form.range')}
        allowDeselect={false}
        data={presets.map((value) => ({ value, label: t(`form.preset.${value}`) }))}
        value={preset}
        onChange={(value) => {
          onPreset(value ?? 'all');
        }}
      />
      {preset === 'own' &&
        (['since', 'until'] as const).map((end) => (
          <TextInput
            key={end}
            size="xs"
            className={classes.field ?? ''}
            type="datetime-local"
            step={1}
            label={t(`form.${end}`)}
            value={own[end]?.slice(0, 19) ?? ''}
            onChange={({ currentTarget: { value } }) => {
              onOwn({ ...own, [end]: typedInstant(value) });
            }}
          />
        ))}
    </>
  );
}
