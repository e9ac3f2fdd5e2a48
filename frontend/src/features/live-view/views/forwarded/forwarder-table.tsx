import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { bytesText, numberText } from '@/i18n';
import { fullness, isOfInterest, type Forwarder, type Transit } from '@/live/grid/forwarders';

import { SourceAge, SourceWord } from '../../frame/source-words';
import type { ViewQuery } from '../../frame/use-view-query';
import summary from '../summary.module.css';
import classes from './forwarded.module.css';
import { Bar } from './time-used';

/**
 * Each forwarder with what it holds, of how much, and how many messages it has dropped; one that is pressed narrows the
 * rows.
 */
export function ForwarderTable({ all, query }: { all: readonly Forwarder[]; query: ViewQuery }) {
  const { t } = useTranslation('views');
  const rest = all.filter((each) => !isOfInterest(each)).map(({ source }) => source.instance);
  return (
    <section className={summary.part} aria-label={t('forwarded.byForwarder')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('forwarded.forwarder')}</th>
            <th scope="col" data-number>
              {t('forwarded.inFlight')}
            </th>
            <th scope="col" className={summary.fill}>
              {t('forwarded.memory')}
            </th>
            <th scope="col" data-number>
              {t('forwarded.dropped')}
            </th>
          </tr>
        </thead>
        <tbody>
          {all.filter(isOfInterest).map((forwarder) => (
            <ForwarderRow key={forwarder.source.instance} forwarder={forwarder} query={query} />
          ))}
        </tbody>
      </table>
      {rest.length > 0 && <p className={classes.note}>{t('forwarded.offAt', { names: rest.join(', ') })}</p>}
    </section>
  );
}

function ForwarderRow({ forwarder, query }: { forwarder: Forwarder; query: ViewQuery }) {
  const { t } = useTranslation('views');
  const { source, transit } = forwarder;
  const isChosen = query.instance === source.instance;
  const dropped = transit?.drops.reduce((sum, { messages }) => sum + messages, 0) ?? null;
  return (
    <tr data-chosen={isChosen} data-old={source.state !== 'known'}>
      <th scope="row">
        <button
          type="button"
          aria-pressed={isChosen}
          onClick={() => {
            query.setPlace(isChosen ? null : source.instance);
          }}
        >
          <span>{source.instance}</span>
          {transit?.is_enabled === false && <Badge>{t('forwarded.off')}</Badge>}
          {source.state !== 'known' && (
            <span>
              <SourceWord source={source} /> <SourceAge source={source} />
            </span>
          )}
        </button>
      </th>
      <td data-number>{transit === null ? t('unknownCount') : numberText(transit.messages)}</td>
      <td>{transit === null ? t('unknownCount') : <Memory transit={transit} />}</td>
      <td data-number>{dropped === null ? t('unknownCount') : numberText(dropped)}</td>
    </tr>
  );
}

function Memory({ transit }: { transit: Transit }) {
  const { t } = useTranslation('views');
  const share = fullness(transit);
  const words = t('forwarded.ofLimit', { bytes: bytesText(transit.bytes), most: bytesText(transit.bytes_max) });
  return (
    <span className={classes.fill} title={t('forwarded.limitHint', { most: transit.messages_max })}>
      {share !== null && <Bar share={share} />}
      {share === null ? t('forwarded.noEndpoint') : words}
    </span>
  );
}
