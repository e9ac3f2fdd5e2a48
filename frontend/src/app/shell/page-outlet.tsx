import { Skeleton } from '@mantine/core';
import { Suspense } from 'react';
import { useTranslation } from 'react-i18next';
import { Outlet } from 'react-router';

/** Where the page that is open stands in its frame. */
export function PageOutlet() {
  const { t } = useTranslation('common');
  return (
    <Suspense fallback={<Skeleton height="100%" radius={0} role="progressbar" aria-label={t('loadingPage')} />}>
      <Outlet />
    </Suspense>
  );
}
