import { Button, Checkbox, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ImportReport } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';
import { counted } from '@/topology/words';

import { runImport } from '../api/import-run';
import type { ScriptFile } from '../read-files';
import { ImportPreview } from './import-preview';
import classes from './import-wizard.module.css';
import { ScriptInput } from './script-input';

type Props = { suggestedEstate: string; onApplied: (estate: string) => void };

/** Scripts in, a preview of every statement, then all of it or nothing. */
export function ImportWizard({ suggestedEstate, onApplied }: Props) {
  const missing = useMissingRight('edit');
  const queries = useQueryClient();
  const [estate, setEstate] = useState(suggestedEstate);
  const [files, setFiles] = useState<ScriptFile[]>([]);
  const [defaultInstance, setDefaultInstance] = useState('');
  const request = (isDryRun: boolean) => ({
    estate,
    files: files.map(({ name, text }) => ({ name, text })),
    dry_run: isDryRun,
    default_instance: defaultInstance === '' ? null : defaultInstance,
  });
  const preview = useMutation({ mutationFn: () => runImport(request(true)) });
  const apply = useMutation({
    mutationFn: () => runImport(request(false)),
    onSuccess: async (report) => {
      if (report.is_applied) {
        await queries.invalidateQueries();
        tellDone(`${counted(changesOf(report), 'statement')} applied to ${report.estate}.`);
        onApplied(report.estate);
      }
    },
  });
  // What was looked at is what is applied: whoever edits the scripts looks again.
  const edit = <Value,>(set: (value: Value) => void) => (value: Value) => {
    set(value);
    preview.reset();
    apply.reset();
  };
  const report = apply.data ?? preview.data;
  const barred = missing ?? (files.every((file) => file.text.trim() === '') ? 'There is no script yet.' : estate === '' ? 'The estate needs a name.' : null);

  return (
    <div className={classes.wizard}>
      <div className={classes.inputs}>
        <TextInput
          label="Estate"
          description="A new name makes a new estate; an existing one is added to."
          value={estate}
          onChange={(event) => {
            edit(setEstate)(event.currentTarget.value.trim());
          }}
          classNames={{ input: classes.mono ?? '' }}
        />
        <TextInput
          label="Instance"
          description="For scripts without :CONNECT. Each script may name its own."
          placeholder="None"
          value={defaultInstance}
          onChange={(event) => {
            edit(setDefaultInstance)(event.currentTarget.value.trim());
          }}
          classNames={{ input: classes.mono ?? '' }}
        />
        <ScriptInput files={files} onChange={edit(setFiles)} />
        <GuardedButton
          barred={barred}
          size="sm"
          variant={report === undefined ? 'filled' : 'default'}
          loading={preview.isPending}
          onClick={() => {
            preview.mutate();
          }}
        >
          Preview
        </GuardedButton>
      </div>
      <div className={classes.outcome} aria-live="polite">
        {preview.isError && <ProblemPanel problem={asProblem(preview.error)} />}
        {apply.isError && <ProblemPanel problem={asProblem(apply.error)} />}
        {report === undefined ? (
          !preview.isError && <p className={classes.hint}>The preview says for each statement what it would do. Nothing changes before you apply it.</p>
        ) : (
          <>
            <ImportPreview report={report} />
            <ApplyBar
              report={report}
              isBusy={apply.isPending}
              onApply={() => {
                apply.mutate();
              }}
            />
          </>
        )}
      </div>
    </div>
  );
}

function changesOf(report: ImportReport): number {
  return report.rows.filter((row) => row.effect === 'add' || row.effect === 'change' || row.effect === 'remove').length;
}

/** Applying is a second, deliberate step; warnings have to be seen first. */
function ApplyBar({ report, isBusy, onApply }: { report: ImportReport; isBusy: boolean; onApply: () => void }) {
  const [hasSeen, setHasSeen] = useState(false);
  const changes = changesOf(report);
  if (report.problems.length > 0) {
    return (
      <p className={classes.hint}>
        {counted(report.problems.length, 'problem')} to correct first. Nothing is applied while there is one.
      </p>
    );
  }
  if (changes === 0) {
    return <p className={classes.hint}>0 changes: the estate has all of this already.</p>;
  }
  return (
    <div className={classes.apply}>
      {report.warnings.length > 0 && (
        <Checkbox
          label={`I have read ${counted(report.warnings.length, 'warning')}`}
          checked={hasSeen}
          onChange={(event) => {
            setHasSeen(event.currentTarget.checked);
          }}
        />
      )}
      <Button size="sm" disabled={report.warnings.length > 0 && !hasSeen} loading={isBusy} onClick={onApply}>
        Apply {counted(changes, 'statement')}
      </Button>
    </div>
  );
}
