import { useTranslation } from 'react-i18next';

import { Page, PageBody } from '@/components/ui/page';
import { TrafficPanel } from '@/features/traffic/components/traffic-panel';

/** Messages that the estate sends to itself, so that one sees it breathe. */
export default function TrafficPage() {
  const { t } = useTranslation('traffic');
  return (
    <Page heading={t('heading')} about={t('about')}>
      <PageBody>
        <TrafficPanel />
      </PageBody>
    </Page>
  );
}
