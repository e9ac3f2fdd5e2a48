import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { Page } from '@/components/ui/page';
import { UsersPanel } from '@/features/administration/components/users-panel';
import { usePerson } from '@/hooks/use-rights';

/** Users, their roles, and who may read payloads. */
export default function AdministrationPage() {
  const { t } = useTranslation('administration');
  const { rights } = usePerson();
  return (
    <Page heading={t('heading')}>
      {rights.includes('administer') ? <UsersPanel /> : <EmptyState>{t('notAllowed')}</EmptyState>}
    </Page>
  );
}
