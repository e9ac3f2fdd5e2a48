import { useTranslation } from 'react-i18next';

import { PageHeading } from '@/components/ui/page-heading';
import { AuditLog } from '@/features/audit/components/audit-log';
import { useEstatePage } from '@/hooks/use-estate-page';

import classes from './changes-page.module.css';

/** Who decided what about the estate, when and from where. */
export default function AuditPage() {
  const { t } = useTranslation('shell');
  const { name } = useEstatePage();
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <PageHeading>{t('navigation.audit')}</PageHeading>
      </header>
      <AuditLog estate={name} />
    </div>
  );
}
