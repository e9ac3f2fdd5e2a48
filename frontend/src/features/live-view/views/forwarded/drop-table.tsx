import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { Hint } from '@/components/ui/hint';
import { numberText } from '@/i18n';
import { dropReasons, isDropNumber, type DropReason, type Forwarder } from '@/live/grid/forwarders';

import { Age } from '../../components/cells';
import summary from '../summary.module.css';
import classes from './forwarded.module.css';

/** Why forwarders have dropped messages since they were started, and what each reason means. */
export function DropTable({ all }: { all: readonly Forwarder[] }) {
  const { t } = useTranslation('views');
  const reasons = dropReasons(all);
  const isKnown = all.some(({ transit }) => transit !== null);
  return (
    <section className={summary.part} aria-label={t('forwarded.byReason')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('forwarded.reason')}</th>
            <th scope="col" data-number>
              {t('forwarded.dropped')}
            </th>
            <th scope="col" data-number className={summary.age}>
              {t('forwarded.last')}
            </th>
          </tr>
        </thead>
        <tbody>
          {reasons.map((reason) => (
            <tr key={reason.number}>
              <th scope="row">
                <Reason reason={reason} />
              </th>
              <td data-number>{numberText(reason.messages)}</td>
              <td data-number>
                <Age at={reason.last_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {reasons.length === 0 && (
        <p className={classes.note}>{t(isKnown ? 'forwarded.noDrops' : 'forwarded.dropsUnknown')}</p>
      )}
    </section>
  );
}

/** Its number and what it means; where, and the words of the last one, on hover. */
function Reason({ reason: { number, text, places } }: { reason: DropReason }) {
  const { t } = useTranslation('views');
  const meaning = isDropNumber(number) ? t(`forwarded.drops.${number}`) : text;
  return (
    <Hint label={`${meaning} (${places.join(', ')}: ${text})`} isStop>
      <span className={summary.words}>
        <Badge verdict={number === 11288 ? undefined : 'lost'}>{number}</Badge>
        <span>{meaning}</span>
      </span>
    </Hint>
  );
}
