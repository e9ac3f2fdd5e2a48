import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { asProblem } from '@/lib/errors';

import { ListFoot } from './page';
import { ProblemPanel } from './problem-panel';

type Pages = {
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: Error | null;
  fetchNextPage: () => unknown;
};

/** Below a list that is fetched newest first: what comes after the rows on view; nothing where all of them are. */
export function Older({ pages }: { pages: Pages }) {
  const { t } = useTranslation('common');
  if (!pages.hasNextPage) {
    return null;
  }
  return (
    <ListFoot>
      <Button size="xs" variant="default" loading={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
        {t('older')}
      </Button>
      {pages.isFetchNextPageError && <ProblemPanel problem={asProblem(pages.error)} />}
    </ListFoot>
  );
}
