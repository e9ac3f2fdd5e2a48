import { useTranslation } from 'react-i18next';

import { Page } from '@/components/ui/page';
import { SqlConsole } from '@/features/sql-console/components/sql-console';

/** Statements typed as on the server itself, run in a session on one database. */
export default function SqlPage() {
  const { t } = useTranslation('sql');
  return (
    <Page heading={t('heading')}>
      <SqlConsole />
    </Page>
  );
}
