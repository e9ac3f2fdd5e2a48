import { Button, Skeleton } from '@mantine/core';
import { IconFileImport, IconSchool } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, useNavigate } from 'react-router';

import { PageHeading } from '@/components/ui/page-heading';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { EmptyEstate } from '@/features/import/components/empty-estate';
import { SampleMenu } from '@/features/import/components/sample-menu';
import { TourButton } from '@/features/import/components/tour-button';
import { useLastEstate } from '@/hooks/use-last-estate';
import { estatesQuery } from '@/lib/api/estates-list';
import { asProblem } from '@/lib/errors';

import { prepareMap } from './load-map';
import classes from './start-page.module.css';

/** The first page: the estate that was open last, or the first one; where there is none, the start page. */
export default function FirstPage() {
  const estates = useQuery(estatesQuery);
  const { t } = useTranslation('common');
  const last = useLastEstate();
  const isEmpty = estates.data?.length === 0;
  useEffect(() => {
    if (isEmpty) {
      prepareMap();
    }
  }, [isEmpty]);
  if (estates.isPending) {
    return <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('loadingPage')} />;
  }
  if (estates.isError) {
    return (
      <div className={classes.page}>
        <ProblemPanel problem={asProblem(estates.error)} onRetry={() => void estates.refetch()} />
      </div>
    );
  }
  const first = estates.data.find((estate) => estate.name === last) ?? estates.data[0];
  if (first !== undefined) {
    return <Navigate to={`/estates/${encodeURIComponent(first.name)}/topology`} replace />;
  }
  return <StartPage />;
}

/** How to get an estate, and where to learn: reached by the menu, whatever there is already. */
export function StartPage() {
  const { t } = useTranslation('import');
  const navigate = useNavigate();
  const { data: estates = [] } = useQuery(estatesQuery);
  const open = (estate: string) => void navigate(`/estates/${encodeURIComponent(estate)}/topology`);
  return (
    <div className={classes.page}>
      <PageHeading takesFocus>{estates.length === 0 ? t('start.heading') : t('start.headingMore')}</PageHeading>
      <p>{t('start.text')}</p>
      <div className={classes.actions}>
        <Button component={Link} to="/import" size="sm" leftSection={<IconFileImport size={17} />}>
          {t('start.importOwn')}
        </Button>
        <SampleMenu onLoaded={open} />
        <EmptyEstate onMade={open} />
      </div>
      <p>{t('start.learn')}</p>
      <div className={classes.actions}>
        <TourButton />
        <Button component={Link} to="/training" size="sm" variant="default" leftSection={<IconSchool size={17} />}>
          {t('start.training')}
        </Button>
      </div>
    </div>
  );
}
