import { Button, Checkbox } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Job } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';

import { runImport, type ImportOutcome } from '../api/import-run';
import { countLeftOut, leaveOut, statementLine, type LeftOut } from '../left-out';
import type { ScriptFile } from '../read-files';
import { ImportPreview } from './import-preview';
import { ImportProgress } from './import-progress';
import { ImportResult } from './import-result';
import { ImportTarget, startingTarget, targetBarred, type Target } from './import-target';
import classes from './import-wizard.module.css';
import { ScriptInput } from './script-input';

type Props = { estates: readonly string[]; suggestedEstate: string };

/**
 * Scripts and collected servers in, a preview of every statement, then all of it or nothing: into a draft, or a new
 * estate.
 */
export function ImportWizard({ estates, suggestedEstate }: Props) {
  const { t } = useTranslation('import');
  const missing = useMissingRight('edit');
  const queries = useQueryClient();
  const [target, setTarget] = useState<Target>(() => startingTarget(estates, suggestedEstate));
  const [files, setFiles] = useState<ScriptFile[]>([]);
  const [leftOut, setLeftOut] = useState<LeftOut>({});
  const [job, setJob] = useState<Job | null>(null);
  const request = (isDryRun: boolean, without: LeftOut) => ({
    estate: target.estate,
    files: files.map(({ name, text, instance, database }) => ({
      name,
      text,
      instance: instance ?? null,
      database: database ?? null,
      left_out: [...(without[name] ?? [])],
    })),
    dry_run: isDryRun,
    change_set: target.isNew ? null : target.changeSet,
  });
  const run = (isDryRun: boolean, without: LeftOut) =>
    runImport(request(isDryRun, without), setJob).finally(() => {
      setJob(null);
    });
  const preview = useMutation({ mutationFn: (without: LeftOut) => run(true, without) });
  const apply = useMutation({
    mutationFn: () => run(false, leftOut),
    onSuccess: async () => queries.invalidateQueries(),
  });
  // What was looked at is what is imported: whoever edits the scripts looks again.
  const edit =
    <Value,>(set: (value: Value) => void) =>
    (value: Value) => {
      set(value);
      setLeftOut({});
      preview.reset();
      apply.reset();
    };
  const lookWithout = (without: LeftOut) => {
    setLeftOut(without);
    preview.mutate(without);
  };
  if (apply.data?.is_applied === true) {
    return (
      <ImportResult
        report={apply.data}
        onAgain={() => {
          edit(setFiles)([]);
        }}
      />
    );
  }
  const report = preview.data;
  const nothing = files.every((file) => file.text.trim() === '') ? t('wizard.nothing') : null;
  const barred = missing ?? nothing ?? targetBarred(target, estates, t);
  return (
    <div className={classes.wizard}>
      <div className={classes.inputs}>
        <ImportTarget target={target} estates={estates} onChange={edit(setTarget)} />
        <ScriptInput files={files} onChange={edit(setFiles)} />
        <GuardedButton
          barred={barred}
          size="sm"
          variant={report === undefined ? 'filled' : 'default'}
          loading={preview.isPending}
          onClick={() => {
            lookWithout({});
          }}
        >
          {t('wizard.preview')}
        </GuardedButton>
      </div>
      <div className={classes.outcome} aria-live="polite">
        {preview.isError && <ProblemPanel problem={asProblem(preview.error)} />}
        {apply.isError && <ProblemPanel problem={asProblem(apply.error)} />}
        {job !== null && <ImportProgress job={job} />}
        {preview.data === null && <p className={classes.hint}>{t('wizard.cancelled')}</p>}
        {report === undefined || report === null ? (
          preview.isIdle && <p className={classes.hint}>{t('wizard.hint')}</p>
        ) : (
          <>
            <ImportPreview
              report={report}
              onLeaveOut={(problem) => {
                lookWithout(leaveOut(leftOut, problem.file, statementLine(report, problem)));
              }}
            />
            <ContinueBar
              report={report}
              target={target}
              leftOutCount={countLeftOut(leftOut)}
              isBusy={apply.isPending}
              onTakeBack={() => {
                lookWithout({});
              }}
              onContinue={() => {
                apply.mutate();
              }}
            />
          </>
        )}
      </div>
    </div>
  );
}

function changesOf({ rows, counts }: ImportOutcome): number {
  if (counts !== undefined) {
    return (counts.add ?? 0) + (counts.change ?? 0) + (counts.remove ?? 0);
  }
  return rows.filter((row) => row.effect === 'add' || row.effect === 'change' || row.effect === 'remove').length;
}

type BarProps = {
  report: ImportOutcome;
  target: Target;
  leftOutCount: number;
  isBusy: boolean;
  onTakeBack: () => void;
  onContinue: () => void;
};

/** Importing is a second, deliberate step; mistakes are corrected or left out first, and warnings have to be seen. */
function ContinueBar({ report, target, leftOutCount, isBusy, onTakeBack, onContinue }: BarProps) {
  const { t } = useTranslation('import');
  const [hasSeen, setHasSeen] = useState(false);
  const changes = changesOf(report);
  const problems = report.problems.length;
  const unread = report.warnings.length > 0 && !hasSeen ? t('continue.readWarnings') : null;
  const barred =
    problems > 0 ? t('continue.problems', { count: problems }) : changes === 0 ? t('continue.nothing') : unread;
  return (
    <div className={classes.apply}>
      {leftOutCount > 0 && (
        <span className={classes.hint}>
          {t('continue.leftOut', { count: leftOutCount })}{' '}
          <Button variant="subtle" size="compact-xs" onClick={onTakeBack}>
            {t('continue.takeBack')}
          </Button>
        </span>
      )}
      {problems === 0 && report.warnings.length > 0 && changes > 0 && (
        <Checkbox
          label={t('continue.warnings', { count: report.warnings.length })}
          checked={hasSeen}
          onChange={(event) => {
            setHasSeen(event.currentTarget.checked);
          }}
        />
      )}
      <span className={classes.hint}>
        {problems === 0 && changes === 0
          ? t('continue.unchanged')
          : target.isNew
            ? t('continue.intoNew', { count: changes, estate: target.estate })
            : t('continue.intoDraft', { count: changes, estate: target.estate })}
      </span>
      <GuardedButton size="sm" barred={barred} loading={isBusy} onClick={onContinue}>
        {t('continue.button')}
      </GuardedButton>
    </div>
  );
}
