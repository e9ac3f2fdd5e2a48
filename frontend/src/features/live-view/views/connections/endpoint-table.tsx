import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { Instance } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useLiveStore } from '@/lib/live-store';
import type { InstanceView } from '@/live/instance-view';
import type { Source } from '@/live/grid/sources';

import { SourceAge, SourceWord } from '../../frame/source-words';
import type { LiveList } from '../../frame/use-live-list';
import summary from '../summary.module.css';

/** The endpoint of each instance: whether it listens, where, and how it lets others in. */
export function EndpointTable({ list }: { list: LiveList }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const live = useLiveStore((store) => store.live.instances);
  return (
    <div className={summary.sums} data-single>
      <section className={summary.part} aria-label={t('connections.endpoints')}>
        <table>
          <thead>
            <tr>
              <th scope="col" className={summary.source}>
                {t('ours.instance')}
              </th>
              <th scope="col">{t('connections.endpoint')}</th>
              <th scope="col" data-number className={summary.narrow}>
                {t('connections.port')}
              </th>
              <th scope="col">{t('connections.authentication')}</th>
              <th scope="col">{t('connections.encryption')}</th>
            </tr>
          </thead>
          <tbody>
            {estate.instances.map((instance) => (
              <EndpointRow
                key={instance.name}
                instance={instance}
                view={live[instance.name]?.view ?? null}
                source={list.sources.find((source) => source.instance === instance.name)}
              />
            ))}
          </tbody>
        </table>
      </section>
    </div>
  );
}

type Props = { instance: Instance; view: InstanceView | null; source: Source | undefined };

function EndpointRow({ instance, view, source }: Props) {
  const { t } = useTranslation('views');
  const { endpoint } = instance;
  if (source === undefined) {
    return null;
  }
  return (
    <tr data-old={source.state !== 'known'}>
      <th scope="row">
        {instance.name}
        {source.state !== 'known' && (
          <>
            {' '}
            <SourceWord source={source} /> <SourceAge source={source} />
          </>
        )}
      </th>
      <td>{view === null ? t('cells.unknown') : <EndpointState view={view} wanted={endpoint?.state ?? null} />}</td>
      <td data-number>{view?.listening_port ?? t(view === null ? 'unknownCount' : 'connections.noPort')}</td>
      <td title={endpoint?.authentication}>{endpoint?.authentication ?? t('cell.noTime')}</td>
      <td title={endpoint?.encryption}>{endpoint?.encryption ?? t('cell.noTime')}</td>
    </tr>
  );
}

function EndpointState({ view, wanted }: { view: InstanceView; wanted: string | null }) {
  const { t } = useTranslation('views');
  const { endpoint_state: state, listening_error: error } = view;
  if (state === null) {
    return <Badge>{t('forwarded.noEndpoint')}</Badge>;
  }
  return (
    <span className={summary.words} title={error}>
      <Badge verdict={error !== '' ? 'error' : state === 'STARTED' ? 'delivered' : 'lost'}>{state}</Badge>
      <span>
        {error !== ''
          ? t('connections.cannotListen', { error })
          : wanted !== null && wanted !== state && t('connections.wanted', { wanted })}
      </span>
    </span>
  );
}
