import { useTranslation } from 'react-i18next';

import { Page, PageBody } from '@/components/ui/page';
import { AnalyticsRoom } from '@/features/analytics/components/analytics-room';

/** Questions over all events of an estate, and their answers. */
export default function AnalyticsPage() {
  const { t } = useTranslation('analytics');
  return (
    <Page heading={t('heading')} about={t('about')}>
      <PageBody>
        <AnalyticsRoom />
      </PageBody>
    </Page>
  );
}
