import { Button, Skeleton } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
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

/** The first page: the estate that was open last, or the first one, otherwise how to get one. */
export default function StartPage() {
  const estates = useQuery(estatesQuery);
  const { t } = useTranslation(['import', 'common']);
  const navigate = useNavigate();
  const last = useLastEstate();
  const isEmpty = estates.data?.length === 0;
  useEffect(() => {
    if (isEmpty) {
      prepareMap();
    }
  }, [isEmpty]);
  if (estates.isPending) {
    return <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('common:loadingPage')} />;
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
  const open = (estate: string, tour = '') => void navigate(`/estates/${encodeURIComponent(estate)}/topology${tour}`);
  return (
    <div className={classes.page}>
      <PageHeading takesFocus>{t('start.heading')}</PageHeading>
      <p>{t('start.text')}</p>
      <div className={classes.actions}>
        <Button component={Link} to="/import" size="sm" leftSection={<IconFileImport size={17} />}>
          {t('start.importOwn')}
        </Button>
        <SampleMenu
          onLoaded={(estate) => {
            open(estate);
          }}
        />
        <EmptyEstate onMade={open} />
        <TourButton
          onReady={(estate) => {
            open(estate, '?tour=1');
          }}
        />
      </div>
    </div>
  );
}
