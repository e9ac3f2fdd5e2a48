import { useTranslation } from 'react-i18next';

import { Page, PageBody } from '@/components/ui/page';
import { Catalogue } from '@/features/training/components/catalogue';
import { Groups } from '@/features/training/components/groups';
import { LessonList } from '@/features/training/components/lesson-list';
import { usePerson } from '@/hooks/use-rights';

/** Exercises for operators, and for trainers how their groups fare. */
export default function TrainingPage() {
  const { t } = useTranslation('training');
  const { rights } = usePerson();
  return (
    <Page heading={t('heading')} about={t('about')}>
      <PageBody>
        <LessonList />
        <Catalogue />
        {rights.includes('train') && <Groups />}
      </PageBody>
    </Page>
  );
}
