import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { ObjectName } from '@/components/ui/object-name';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { useEstatePage } from '@/hooks/use-estate-page';
import { reasonOf, stateAt, troublesome, type Observer, type Pair, type Partner } from '@/live/grid/mirror-pairs';
import type { Read } from '@/live/grid/rows';

import { Age, Id } from '../../components/cells';
import { SourceAge, SourceWord } from '../../frame/source-words';
import { textOf } from '../common';
import classes from './mirrors.module.css';
import { PartnerWord } from './partner-word';

/**
 * Each mirrored pair: both partners as each who sends to them sees them, who is the principal since when, and why
 * messages wait.
 */
export function PairCards({ pairs, read }: { pairs: readonly Pair[]; read: Read }) {
  const { t } = useTranslation('views');
  return pairs.length === 0 ? null : (
    <ul className={classes.cards} aria-label={t('mirrors.pairs')}>
      {pairs.map((pair) => (
        <PairCard key={pair.key} pair={pair} read={read} />
      ))}
    </ul>
  );
}

function PairCard({ pair, read }: { pair: Pair; read: Read }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const database = estate.mirrors.find(
    (mirror) => mirror.broker_instance.toLowerCase() === pair.brokerInstance.toLowerCase(),
  )?.database;
  const needs = pair.observers.some(
    ({ source, row }) => source.state === 'known' && row !== null && troublesome.includes(reasonOf(row, read)),
  );
  return (
    <li className={classes.card} data-needs={needs}>
      <h3>
        <ObjectName>{pair.service}</ObjectName>
        {needs && <Badge verdict="lost">{t('mirrors.needsLook')}</Badge>}
      </h3>
      <p className={classes.quiet}>
        {database !== undefined && `${database} · `}
        <Id value={pair.brokerInstance} />
      </p>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('mirrors.seenFrom')}</th>
            {pair.partners.map((partner) => (
              <th key={partner.address} scope="col">
                {partner.instance ?? t('mirrors.nobodyHere')}
                <span className={classes.address}>{partner.address}</span>
              </th>
            ))}
            <th scope="col">{t('mirrors.since')}</th>
          </tr>
        </thead>
        <tbody>
          {pair.observers.map((observer) => (
            <ObserverRow key={observer.source.instance} observer={observer} partners={pair.partners} read={read} />
          ))}
        </tbody>
      </table>
      {pair.observers.map((observer) => (
        <Why key={observer.source.instance} observer={observer} read={read} />
      ))}
    </li>
  );
}

function ObserverRow({
  observer: { source, row },
  partners,
  read,
}: {
  observer: Observer;
  partners: readonly Partner[];
  read: Read;
}) {
  const { t } = useTranslation('views');
  const since = row === null ? null : read(row, 'principal_since');
  const isOld = source.state !== 'known';
  return (
    <tr data-old={isOld}>
      <th scope="row">
        {source.instance}
        {isOld && (
          <span className={classes.address}>
            <SourceWord source={source} /> <SourceAge source={source} />
          </span>
        )}
      </th>
      {partners.map((partner) => {
        const state = row === null ? null : stateAt(row, read, partner.address);
        return <td key={partner.address}>{state === null ? <Unknown /> : <PartnerWord state={state} />}</td>;
      })}
      <td>{row === null ? <Unknown /> : typeof since === 'number' ? <Age at={since} /> : t('mirrors.noPrincipal')}</td>
    </tr>
  );
}

function Unknown() {
  const { t } = useTranslation('views');
  return (
    <span className={classes.unknown}>
      <VerdictIcon verdict="unknown" size={13} />
      {t('source.unknown.word')}
    </span>
  );
}

/** Why what this one sends flows or waits; nothing is said of who does not answer. */
function Why({ observer: { source, row }, read }: { observer: Observer; read: Read }) {
  const { t } = useTranslation('views');
  if (source.state !== 'known') {
    return null;
  }
  const detail = row === null ? '' : textOf(row, read, 'detail');
  return (
    <p className={classes.why}>
      <strong>{source.instance}</strong> {t(row === null ? 'mirrors.notUsed' : `mirrors.why.${reasonOf(row, read)}`)}
      {detail !== '' && (
        <span className={classes.quiet}>
          {' '}
          {t('mirrors.lastError', { number: Number(row === null ? null : read(row, 'error')), detail })}
        </span>
      )}
    </p>
  );
}
