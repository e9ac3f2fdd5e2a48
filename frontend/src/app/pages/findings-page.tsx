import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { FindingsPanel } from '@/features/findings/components/findings-panel';

/** What is wrong with the definitions of the estate. */
export default function FindingsPage() {
  const { t } = useTranslation('shell');
  return (
    <>
      <VisuallyHidden component="h1">{t('navigation.findings')}</VisuallyHidden>
      <FindingsPanel />
    </>
  );
}
