import { memo } from 'react';
import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { sentence } from '@/lib/errors';

import type { Output, Run } from './session';
import classes from './outputs.module.css';
import { ResultGrid } from './result-grid';

type Props = {
  run: Run;
  /** Shows a line of the editor. */
  onLine: (line: number) => void;
};

/** What a script has answered, in the order in which it did. */
export function Outputs({ run, onLine }: Props) {
  const { t } = useTranslation('sql');
  const numbers = resultNumbers(run.outputs);
  return (
    <ol className={classes.list}>
      {run.outputs.map((output) => (
        <li key={output.key}>
          <OneOutput output={output} number={numbers.get(output.key) ?? 0} firstLine={run.firstLine} onLine={onLine} />
        </li>
      ))}
      {run.left > 0 && <li className={classes.affected}>{t('left', { count: run.left })}</li>}
      {run.outputs.length === 0 && run.outcome === 'finished' && <li className={classes.affected}>{t('silent')}</li>}
    </ol>
  );
}

/** Which result set each of them is, from 1, by their keys. */
function resultNumbers(outputs: readonly Output[]): ReadonlyMap<number, number> {
  const results = outputs.filter(({ kind }) => kind === 'result');
  return new Map(results.map(({ key }, place) => [key, place + 1]));
}

type OneProps = { output: Output; number: number; firstLine: number; onLine: (line: number) => void };

/** Drawn once: of thousands of lines only those that are new have something to do. */
const OneOutput = memo(function OneOutput({ output, number, firstLine, onLine }: OneProps) {
  const { t } = useTranslation('sql');
  const lineLink = <LineLink line={output.line} firstLine={firstLine} onLine={onLine} />;
  switch (output.kind) {
    case 'result':
      return <ResultGrid result={output} number={number} lineLink={lineLink} />;
    case 'printed':
      return (
        <div className={classes.message}>
          <pre className={classes.text}>{output.text}</pre>
          {lineLink}
        </div>
      );
    case 'affected':
      return (
        <div className={`${classes.message ?? ''} ${classes.affected ?? ''}`}>
          {t('affected', { count: output.count })}
        </div>
      );
    case 'failed':
      return (
        <div className={classes.failed} role="alert" tabIndex={-1}>
          <VerdictIcon verdict="error" size={16} />
          <div>
            <div className={classes.head}>
              <strong>{sentence(output.message)}</strong>
              <span className={classes.code}>{t('failed', output)}</span>
              {lineLink}
            </div>
            {output.why !== '' && <p>{sentence(output.why)}</p>}
            {output.cure !== '' && <p>{sentence(output.cure)}</p>}
          </div>
        </div>
      );
  }
});

/** A line of the script as a way to it; a selection began further down in the editor. */
function LineLink({ line, firstLine, onLine }: { line: number; firstLine: number; onLine: (line: number) => void }) {
  const { t } = useTranslation('sql');
  const shown = line + firstLine - 1;
  return line < 1 ? null : (
    <button
      type="button"
      className={classes.line}
      onClick={() => {
        onLine(shown);
      }}
    >
      {t('line', { line: shown })}
    </button>
  );
}
