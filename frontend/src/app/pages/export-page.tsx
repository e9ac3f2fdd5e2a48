import { useTranslation } from 'react-i18next';

import { PageHeading } from '@/components/ui/page-heading';
import { ExportForm } from '@/features/export/components/export-form';

import classes from './import-page.module.css';

/** The estate as T-SQL, to be taken away. */
export default function ExportPage() {
  const { t } = useTranslation('export');
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <PageHeading>{t('heading')}</PageHeading>
      </header>
      <ExportForm />
    </div>
  );
}
