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
  const results = run.outputs.filter(({ kind }) => kind === 'result');
  return (
    <ol className={classes.list}>
      {run.outputs.map((output) => (
        <li key={output.key}>
          <OneOutput
            output={output}
            number={results.indexOf(output) + 1}
            lineLink={<LineLink line={output.line} firstLine={run.firstLine} onLine={onLine} />}
          />
        </li>
      ))}
      {run.left > 0 && <li className={classes.affected}>{t('left', { count: run.left })}</li>}
      {run.outputs.length === 0 && run.outcome === 'finished' && <li className={classes.affected}>{t('silent')}</li>}
    </ol>
  );
}

type OneProps = { output: Output; number: number; lineLink: React.ReactNode };

function OneOutput({ output, number, lineLink }: OneProps) {
  const { t } = useTranslation('sql');
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
        <div className={classes.failed} role="alert">
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
}

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
