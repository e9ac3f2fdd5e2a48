import { useTranslation } from 'react-i18next';

import { Page, PageBody } from '@/components/ui/page';
import { Home } from '@/features/home/components/home';
import { useEstatePage } from '@/hooks/use-estate-page';

/** How an estate is, before anybody asks for more. */
export default function OverviewPage() {
  const { t } = useTranslation('home');
  const { name } = useEstatePage();
  return (
    <Page heading={t('heading', { name })}>
      <PageBody>
        <Home />
      </PageBody>
    </Page>
  );
}
