import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Navigate, useParams } from 'react-router';

import type { LiveActions } from '@/features/live-view/actions';
import { LiveViews } from '@/features/live-view/components/live-views';
import { viewNames } from '@/features/live-view/views/registry';

/** What each view offers to do with what it lists. */
const actions: LiveActions = {};

/** The live views; an address that names none of them leads to the first. */
export default function LivePage() {
  const { t } = useTranslation('shell');
  const { estate = '', view: text } = useParams();
  const view = viewNames.find((name) => name === text);
  if (view === undefined) {
    return <Navigate to={`/estates/${encodeURIComponent(estate)}/live/${viewNames[0]}`} replace />;
  }
  return (
    <>
      <VisuallyHidden component="h1">{t('navigation.live')}</VisuallyHidden>
      <LiveViews view={view} actions={actions} />
    </>
  );
}
