import { ReactFlowProvider } from '@xyflow/react';
import { useNavigate } from 'react-router';

import { TopologyCanvas } from '@/features/topology-editor/components/topology-canvas';
import { WhatIfPanel } from '@/features/whatif/components/what-if-panel';
import { useDraftNumber } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { formatSelection } from '@/topology/selection';

/** Where a message would go, in words and on the map. */
export default function WhatIfPage() {
  const estate = useEstatePage();
  const draft = useDraftNumber();
  const navigate = useNavigate();
  return (
    <WhatIfPanel
      map={
        <ReactFlowProvider>
          <TopologyCanvas
            key={estate.name}
            covered={0}
            isForReading
            panel={null}
            onDelete={(selection) => {
              // Here the map is for looking: whatever changes it is done on its own page.
              const select = selection === null ? {} : { select: formatSelection(selection) };
              const asked = new URLSearchParams({ ...select, ...(draft === null ? {} : { draft: String(draft) }) });
              void navigate(`/estates/${encodeURIComponent(estate.name)}/topology?${asked.toString()}`);
            }}
          />
        </ReactFlowProvider>
      }
    />
  );
}
