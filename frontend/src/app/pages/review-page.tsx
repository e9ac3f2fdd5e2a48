import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useParams } from 'react-router';

import { PageProblem } from '@/components/ui/page';
import { Review } from '@/features/change-sets/components/review';
import { useObjectsAsked } from '@/features/change-sets/use-objects-asked';
import { useEstatePage } from '@/hooks/use-estate-page';
import { changeSetQuery } from '@/lib/api/change-set-read';
import { asProblem } from '@/lib/errors';

/** One draft, looked at before it becomes live. */
export default function ReviewPage() {
  const { name } = useEstatePage();
  const { number = '' } = useParams();
  const asked = useObjectsAsked();
  const { data, error, refetch } = useQuery(changeSetQuery(name, Number(number), asked));
  if (data !== undefined) {
    return <Review key={data.number} estate={name} changeSet={data} />;
  }
  return error === null ? (
    <Skeleton height="100%" radius={0} />
  ) : (
    <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
  );
}
