import { VisuallyHidden } from '@mantine/core';
import { memo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { FlowName } from '@/components/what-if/flow-name';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { dispositionWord, verdictOfLight } from '@/components/what-if/words';
import type { FlowCell, FlowCells, FlowMatrix } from '@/contracts/api';
import { i18n } from '@/i18n';
import { failureWords, faultPart, faultPlace } from '@/topology/faults';
import { faultLabAddress, whatIfAddress, type Preset } from '@/topology/what-if-address';

import { failureText, runsOf, type Failure } from '../matrix-columns';
import type { FaultLab } from '../use-fault-lab';
import { useGridKeys } from '../use-grid-keys';
import classes from './fault-matrix.module.css';

type Props = { estate: string; lab: FaultLab; preset: Preset; matrix: FlowMatrix; isOlder: boolean };

/** Flows by failures; a cell leads to the what-if page with that failure. */
export function MatrixGrid({ matrix, isOlder, ...about }: Props) {
  const { t } = useTranslation('faults');
  const columns = matrix.totals.map(({ faults }): Failure => faults);
  const keys = useGridKeys(matrix.rows.length, columns.length + 2);
  return (
    <div className={classes.scroll}>
      <table
        // eslint-disable-next-line jsx-a11y/no-noninteractive-element-to-interactive-role
        role="grid"
        aria-label={t('matrix.label')}
        aria-rowcount={matrix.rows.length + 2}
        aria-colcount={columns.length + 2}
        aria-busy={isOlder}
        data-stale={isOlder}
        className={classes.grid}
        onKeyDown={keys.onKeyDown}
        onFocus={keys.onFocus}
      >
        <thead>
          <tr>
            <th scope="col" rowSpan={2} className={classes.corner}>
              {t('matrix.flow')}
            </th>
            <th scope="col" rowSpan={2} className={classes.baseHead}>
              {t(about.lab.faults.length === 0 ? 'matrix.without' : 'matrix.supposed')}
            </th>
            {runsOf(columns).map(({ kind, count }) => (
              <th key={kind} scope="colgroup" colSpan={count} className={classes.kind}>
                <span>{t(`kind.${kind}`)}</span>
              </th>
            ))}
          </tr>
          <tr>
            {matrix.totals.map(({ faults, lost, sender_down: down }) => (
              <th key={failureText(faults)} scope="col" className={classes.head} title={failureWords(faults)}>
                <span className={classes.place}>
                  {faults.map((fault) => (
                    <span key={failureText([fault])}>{faults.length > 1 ? faultPart(fault) : faultPlace(fault)}</span>
                  ))}
                </span>
                <span className={classes.lost} data-some={lost > 0}>
                  {t('matrix.lost', { count: lost })}
                </span>
                {down > 0 && <span className={classes.down}>{t('matrix.down', { count: down })}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.rows.map((row, index) => (
            <Row key={row.key} {...about} row={row} columns={columns} index={index} keys={keys} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = Omit<Props, 'matrix' | 'isOlder'> & {
  row: FlowCells;
  columns: readonly Failure[];
  index: number;
  keys: ReturnType<typeof useGridKeys>;
};

function Row({ estate, lab, preset, row, columns, index, keys }: RowProps) {
  const { t } = useTranslation('faults');
  const basis = { draft: lab.draft, at: lab.at };
  return (
    <tr>
      <th scope="row" className={classes.flow}>
        <Link
          to={faultLabAddress(estate, row.question, { ...basis, faults: lab.faults }, preset)}
          className={classes.flowLink}
          title={t('flow.only')}
          {...keys.cell(index, 0)}
        >
          <FlowName flow={row.question} characters={26} isLinked />
        </Link>
      </th>
      <td className={classes.base}>
        <CellLink
          cell={row.base}
          about={null}
          to={whatIfAddress(estate, row.question, { ...basis, faults: lab.faults })}
          {...keys.cell(index, 1)}
        />
      </td>
      {row.cells.map((cell, at) => {
        const failure = columns[at];
        return failure === undefined ? null : (
          <td key={failureText(failure)} data-change={cell.change ?? 'sender-down'}>
            <CellLink
              cell={cell}
              about={failureWords(failure)}
              to={whatIfAddress(estate, row.question, { ...basis, faults: [...lab.faults, ...failure] })}
              {...keys.cell(index, at + 2)}
            />
          </td>
        );
      })}
    </tr>
  );
}

type CellProps = {
  cell: FlowCell;
  /** The failure; null for the column without. */
  about: string | null;
  to: string;
  'data-row': number;
  'data-column': number;
  tabIndex: number;
};

/** The end of a flow: its light always, its number or word where something has changed. */
const CellLink = memo(function CellLink({ cell, about, to, ...place }: CellProps) {
  const isDead = cell.change === null;
  const word = dispositionWord(cell.disposition, cell.number);
  const isTold = about === null || (cell.change !== 'unchanged' && !isDead);
  const said = i18n.t('faults:matrix.cell', {
    fault: about ?? '',
    has: about === null ? 'no' : 'yes',
    word,
    number: cell.number === null ? '' : String(cell.number),
    numbered: cell.number === null ? 'no' : 'yes',
    change: cell.change ?? 'dead',
  });
  return (
    <Link to={to} className={classes.cell} title={said} {...place}>
      <VisuallyHidden>{said}</VisuallyHidden>
      {isDead ? (
        <span aria-hidden className={classes.dead}>
          {i18n.t('faults:matrix.deadShort')}
        </span>
      ) : (
        <>
          <VerdictIcon verdict={verdictOfLight(cell.light)} size={14} />
          {isTold && (
            <span aria-hidden className={cell.number === null ? classes.word : classes.number}>
              {cell.number ?? word}
            </span>
          )}
        </>
      )}
    </Link>
  );
});
