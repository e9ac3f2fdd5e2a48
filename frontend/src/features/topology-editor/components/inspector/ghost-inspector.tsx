import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { Estate } from '@/contracts/api';
import { ids } from '@/topology/graph';
import { everyRoute } from '@/topology/lookup';

import { InspectorFrame } from './inspector';
import { RouteTable } from './route-table';

/** An address that no instance of the estate has. */
export function GhostInspector({ estate, address, onClose }: { estate: Estate; address: string; onClose: () => void }) {
  const { t } = useTranslation('inspector');
  const ghost = ids.ghost(address);
  const routes = everyRoute(estate).filter(
    ({ value }) =>
      ids.ghost(value.address) === ghost ||
      (value.mirror_address !== null && ids.ghost(value.mirror_address) === ghost),
  );
  return (
    <InspectorFrame
      kind={t('kind.ghost')}
      name={address}
      onClose={onClose}
      badges={<Badge verdict="unknown">{t('noInstance')}</Badge>}
    >
      <Section title={t('identity')}>
        <Facts>
          <Fact label={t('address')}>
            <CopyText value={address} what="address" />
          </Fact>
        </Facts>
        <p>{t('ghost')}</p>
      </Section>
      <Section title={t('leadThere')}>
        <RouteTable routes={routes} label={t('routesTo', { name: address })} showPlace />
      </Section>
    </InspectorFrame>
  );
}
