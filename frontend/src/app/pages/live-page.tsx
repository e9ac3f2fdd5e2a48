import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { LivePanel } from '@/features/live-view/components/live-panel';

/** The live tables with the whole page to themselves. */
export default function LivePage() {
  const { t } = useTranslation('shell');
  return (
    <>
      <VisuallyHidden component="h1">{t('navigation.live')}</VisuallyHidden>
      <LivePanel isRoomy />
    </>
  );
}
