import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';

import { PageHeading } from '@/components/ui/page-heading';
import { ImportWizard } from '@/features/import/components/import-wizard';
import { SampleMenu } from '@/features/import/components/sample-menu';
import { estatesQuery } from '@/lib/api/estates-list';

import classes from './import-page.module.css';

/** One's own scripts, or a sample, as an estate. */
export default function ImportPage() {
  const { data: estates } = useQuery(estatesQuery);
  const navigate = useNavigate();
  const open = (estate: string) => void navigate(`/estates/${encodeURIComponent(estate)}/topology`);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <PageHeading>Import T-SQL</PageHeading>
        <SampleMenu onLoaded={open} />
      </header>
      {estates !== undefined && <ImportWizard suggestedEstate={estates[0]?.name ?? 'my-estate'} onApplied={open} />}
    </div>
  );
}
