import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';

import { Page, PageBody } from '@/components/ui/page';
import { ImportWizard } from '@/features/import/components/import-wizard';
import { SampleMenu } from '@/features/import/components/sample-menu';
import { useLastEstate } from '@/hooks/use-last-estate';
import { estatesQuery } from '@/lib/api/estates-list';

/** One's own scripts, collected servers, or a sample: into a change set, or as an estate of their own. */
export default function ImportPage() {
  const { t } = useTranslation('import');
  const { data: estates } = useQuery(estatesQuery);
  const last = useLastEstate();
  const navigate = useNavigate();
  const open = (estate: string, changeSet: number | null) =>
    void navigate(`/estates/${encodeURIComponent(estate)}/${changeSet === null ? 'topology' : `changes/${changeSet}`}`);
  const names = estates?.map(({ name }) => name);
  return (
    <Page heading={t('page.heading')} about={t('page.about')} beside={<SampleMenu onLoaded={open} />}>
      <PageBody>
        {names !== undefined && (
          <ImportWizard
            estates={names}
            suggestedEstate={names.find((name) => name === last) ?? names[0] ?? 'my-estate'}
          />
        )}
      </PageBody>
    </Page>
  );
}
