import { VisuallyHidden } from '@mantine/core';

import { FindingsPanel } from '@/features/findings/components/findings-panel';

/** What is wrong with the definitions of the estate. */
export default function FindingsPage() {
  return (
    <>
      <VisuallyHidden component="h1">Findings</VisuallyHidden>
      <FindingsPanel />
    </>
  );
}
