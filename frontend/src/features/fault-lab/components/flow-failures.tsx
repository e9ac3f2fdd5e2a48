import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { ChangeSign, DispositionSign } from '@/components/what-if/light-sign';
import type { FlowMatrix } from '@/contracts/api';
import { failureWords } from '@/topology/faults';
import { whatIfAddress, type Flow } from '@/topology/what-if-address';

import { failureText } from '../matrix-columns';
import type { FaultLab } from '../use-fault-lab';
import classes from './flow-failures.module.css';

type Props = { estate: string; lab: FaultLab; flow: Flow; matrix: FlowMatrix; isOlder: boolean };

/** One flow: a line for each failure, in words, with what becomes of the flow. */
export function FlowFailures({ estate, lab, flow, matrix, isOlder }: Props) {
  const { t } = useTranslation('faults');
  const row = matrix.rows[0];
  if (row === undefined) {
    return null;
  }
  const ask = (faults: FlowMatrix['totals'][number]['faults']) =>
    whatIfAddress(estate, flow, { draft: lab.draft, at: lab.at, faults: [...lab.faults, ...faults] });
  return (
    <div className={classes.scroll}>
      <table className={classes.table} aria-label={t('flow.table')} aria-busy={isOlder} data-stale={isOlder}>
        <thead>
          <tr>
            <th scope="col">{t('flow.failure')}</th>
            <th scope="col">{t('flow.end')}</th>
            <th scope="col">{t('flow.change')}</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t(lab.faults.length === 0 ? 'matrix.without' : 'matrix.supposed')}</th>
            <td>
              <Link to={ask([])}>
                <DispositionSign disposition={row.base.disposition} number={row.base.number} />
              </Link>
            </td>
            <td />
          </tr>
          {matrix.totals.map(({ faults }, at) => {
            const cell = row.cells[at];
            return cell === undefined ? null : (
              <tr key={failureText(faults)} data-change={cell.change ?? 'sender-down'}>
                <th scope="row">{failureWords(faults)}</th>
                <td>
                  <Link to={ask(faults)}>
                    <DispositionSign disposition={cell.disposition} number={cell.number} />
                    {cell.number !== null && <span className={classes.number}>{cell.number}</span>}
                  </Link>
                </td>
                <td>{cell.change === null ? t('legend.dead') : <ChangeSign change={cell.change} />}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
