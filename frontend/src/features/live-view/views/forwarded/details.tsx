import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Fact, Facts, Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { bytesText, numberText } from '@/i18n';
import type { GridRow, Read } from '@/live/grid/rows';
import { formatSelection } from '@/topology/selection';

import { textOf } from '../common';
import classes from '../details.module.css';
import { TimeUsed } from './time-used';

/** Where a message in transit goes next, how long it may still be under way, and where more is to be found about it. */
export function ForwardedDetails({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const base = `/estates/${encodeURIComponent(estate.name)}`;
  const address = textOf(row, read, 'adjacent_broker_address');
  const hops = Number(read(row, 'hops_remaining'));
  const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const places = [
    { words: t('links.bothEnds'), to: `conversations?${query({ text: textOf(row, read, 'conversation_id') })}` },
    { words: t('links.connection'), to: `connections?${query({ instance: row.instance, text: address })}` },
    {
      words: t('links.trace'),
      to: `trace?${query({ instance: row.instance, text: textOf(row, read, 'conversation_id') })}`,
    },
  ];
  return (
    <>
      <Section title={t('forwarded.next')} term="forwarding">
        <Facts>
          <Fact label={t('forwarded.nextHop')}>{address}</Fact>
          <Fact label={t('forwarded.hopsLeft')}>{numberText(hops)}</Fact>
          <Fact label={t('forwarded.age')}>
            <TimeUsed row={row} read={read} />
          </Fact>
          <Fact label={t('forwarded.held')}>{bytesText(Number(read(row, 'bytes_held')))}</Fact>
        </Facts>
        <p className={classes.note}>{hops === 0 ? t('forwarded.lastHop') : t('forwarded.waitsForLink')}</p>
        <p className={classes.note}>{t('forwarded.timeHint')}</p>
      </Section>
      <Section title={t('conversations.seeAlso')}>
        <ul className={classes.links}>
          {places.map(({ words, to }) => (
            <li key={to}>
              <Link to={`${base}/live/${to}`}>{words}</Link>
            </li>
          ))}
          <li>
            <Link
              to={`${base}/topology?${query({ select: formatSelection({ kind: 'instance', instance: row.instance }) })}`}
            >
              {t('links.instance')}
            </Link>
          </li>
        </ul>
      </Section>
    </>
  );
}
