import { Button, Skeleton } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, Navigate, useNavigate } from 'react-router';

import { PageHeading } from '@/components/ui/page-heading';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SampleMenu } from '@/features/import/components/sample-menu';
import { useLastEstate } from '@/hooks/use-last-estate';
import { estatesQuery } from '@/lib/api/estates-list';
import { asProblem } from '@/lib/errors';

import classes from './start-page.module.css';

/** The first page: the estate that was open last, or the first one, otherwise how to get one. */
export default function StartPage() {
  const estates = useQuery(estatesQuery);
  const navigate = useNavigate();
  const last = useLastEstate();
  if (estates.isPending) {
    return <Skeleton height="100%" radius={0} aria-label="Loading" />;
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
  return (
    <div className={classes.page}>
      <PageHeading takesFocus>No estate yet</PageHeading>
      <p>
        An estate is a network of broker instances with their databases, services and routes. Bring your own as the T-SQL scripts
        that define it, or begin with a sample.
      </p>
      <div className={classes.actions}>
        <Button component={Link} to="/import" size="sm" leftSection={<IconFileImport size={17} />}>
          Import T-SQL
        </Button>
        <SampleMenu onLoaded={(estate) => void navigate(`/estates/${encodeURIComponent(estate)}/topology`)} />
      </div>
    </div>
  );
}
