import { VisuallyHidden } from '@mantine/core';

import { LivePanel } from '@/features/live-view/components/live-panel';

/** The live tables with the whole page to themselves. */
export default function LivePage() {
  return (
    <>
      <VisuallyHidden component="h1">Live</VisuallyHidden>
      <LivePanel isRoomy />
    </>
  );
}
