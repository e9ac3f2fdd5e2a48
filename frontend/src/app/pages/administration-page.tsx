import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { PageHeading } from '@/components/ui/page-heading';
import { UsersPanel } from '@/features/administration/components/users-panel';
import { usePerson } from '@/hooks/use-rights';

import classes from './changes-page.module.css';

/** Users, their roles, and who may read payloads. */
export default function AdministrationPage() {
  const { t } = useTranslation('administration');
  const { rights } = usePerson();
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <PageHeading>{t('heading')}</PageHeading>
      </header>
      {rights.includes('administer') ? <UsersPanel /> : <EmptyState>{t('notAllowed')}</EmptyState>}
    </div>
  );
}
