import { useTranslation } from 'react-i18next';

import { Page, PageBody } from '@/components/ui/page';
import { ExportForm } from '@/features/export/components/export-form';

/** The estate as T-SQL, to be taken away. */
export default function ExportPage() {
  const { t } = useTranslation('export');
  return (
    <Page heading={t('heading')}>
      <PageBody>
        <ExportForm />
      </PageBody>
    </Page>
  );
}
