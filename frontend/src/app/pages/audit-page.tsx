import { useTranslation } from 'react-i18next';

import { Page } from '@/components/ui/page';
import { AuditLog } from '@/features/audit/components/audit-log';
import { useEstatePage } from '@/hooks/use-estate-page';

/** Who decided what about the estate, when and from where. */
export default function AuditPage() {
  const { t } = useTranslation('shell');
  const { name } = useEstatePage();
  return (
    <Page heading={t('navigation.audit')}>
      <AuditLog estate={name} />
    </Page>
  );
}
