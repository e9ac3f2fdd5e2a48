import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { PageHeading } from '@/components/ui/page-heading';
import { ImportWizard } from '@/features/import/components/import-wizard';
import { SampleMenu } from '@/features/import/components/sample-menu';
import { useLastEstate } from '@/hooks/use-last-estate';
import { estatesQuery } from '@/lib/api/estates-list';

import classes from './import-page.module.css';

/** One's own scripts, collected servers, or a sample: into a change set, or as an estate of their own. */
export default function ImportPage() {
  const { t } = useTranslation('import');
  const { data: estates } = useQuery(estatesQuery);
  const last = useLastEstate();
  const navigate = useNavigate();
  const names = estates?.map(({ name }) => name);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <PageHeading>{t('page.heading')}</PageHeading>
        <SampleMenu onLoaded={(estate) => void navigate(`/estates/${encodeURIComponent(estate)}/topology`)} />
      </header>
      <p>{t('page.about')}</p>
      {names !== undefined && (
        <ImportWizard estates={names} suggestedEstate={names.find((name) => name === last) ?? names[0] ?? 'my-estate'} />
      )}
    </div>
  );
}
