import { VisuallyHidden } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { useTranslation } from 'react-i18next';

import { SandboxMap } from './sandbox-map';

/** The map of a sandbox as a page of its own. */
export default function SandboxMapPage() {
  const { t } = useTranslation('shell');
  const hasRoom = useMediaQuery('(min-width: 1500px)', window.innerWidth >= 1500);
  return (
    <>
      <VisuallyHidden component="h1">{t('navigation.topology')}</VisuallyHidden>
      <SandboxMap showsWhole={hasRoom} />
    </>
  );
}
