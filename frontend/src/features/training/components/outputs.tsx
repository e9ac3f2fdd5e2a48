import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { TrainingOutput } from '@/contracts/api';

import classes from './training.module.css';

type Rows = Extract<TrainingOutput, { kind: 'result-set' }>;
type Failure = Extract<TrainingOutput, { kind: 'failed' }>;

/** What a script has answered, in order. */
export function Outputs({ outputs }: { outputs: TrainingOutput[] }) {
  const { t } = useTranslation('training');
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
    <div className={classes.outputs} role="log" aria-label={t('sql.answers')} tabIndex={0}>
      {outputs.length === 0 && <p className={classes.faint}>{t('sql.nothing')}</p>}
      {outputs.map((output, at) => {
        switch (output.kind) {
          case 'result-set':
            return <Grid key={at} rows={output} />;
          case 'printed':
            return <p key={at}>{output.text}</p>;
          case 'rows-affected':
            return (
              <p key={at} className={classes.faint}>
                {t('sql.affected', { count: output.count })}
              </p>
            );
          case 'failed':
            return <Failed key={at} failure={output} />;
        }
      })}
    </div>
  );
}

function Grid({ rows: { columns, rows, total } }: { rows: Rows }) {
  const { t } = useTranslation('training');
  return (
    <>
      <table className={classes.grid}>
        <thead>
          <tr>
            {columns.map(({ name }, at) => (
              <th key={at} scope="col">
                {name === '' ? t('sql.noName') : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} data-null={cell === null}>
                  {cell ?? 'NULL'}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {total > rows.length && <p className={classes.faint}>{t('sql.cut', { shown: rows.length, total })}</p>}
    </>
  );
}

function Failed({ failure }: { failure: Failure }) {
  const { t } = useTranslation('training');
  return (
    <div className={classes.failed}>
      <VerdictIcon verdict="error" />
      <div>
        <strong>
          {t('sql.failed', { number: String(failure.number), line: failure.line, text: failure.message })}
        </strong>
        {failure.why !== '' && <p>{failure.why}</p>}
        {failure.cure !== '' && <p>{failure.cure}</p>}
      </div>
    </div>
  );
}
