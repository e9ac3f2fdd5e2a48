import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { Inspector, type InspectorActions } from '@/features/topology-editor/components/inspector/inspector';
import { TopologyCanvas } from '@/features/topology-editor/components/topology-canvas';
import { EstateContext } from '@/hooks/use-estate-page';
import { useSandbox } from '@/hooks/use-sandbox';
import { useSelection } from '@/hooks/use-view-state';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem } from '@/lib/errors';
import { measures } from '@/theme/tokens';

import classes from './sandbox-map.module.css';

const nothing = () => undefined;

/** Definitions of a sandbox are changed by T-SQL: its inspector has no form to open. */
const noForms: InspectorActions = {
  onAddRoute: nothing,
  onChangeRoute: nothing,
  onDeleteRoute: nothing,
  onChangeEndpoint: nothing,
};

type Props = {
  /** Whether there are details when nothing is selected too: those of the whole. */
  showsWhole: boolean;
};

/** The sandbox as a drawing, for reading, with all about what is selected over its right edge. */
export function SandboxMap({ showsWhole }: Props) {
  const { t } = useTranslation(['training', 'shell']);
  const estate = useContext(EstateContext);
  const [selection] = useSelection();
  const isOpen = showsWhole || selection !== null;
  const room = useSandbox();
  const name = room?.estate ?? null;
  const { error, refetch } = useQuery({ ...topologyQuery(name ?? ''), enabled: name !== null });
  if (estate === null && error !== null) {
    return (
      <div className={classes.failed}>
        <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
      </div>
    );
  }
  if (estate === null) {
    return <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('sandbox.reading')} />;
  }
  return (
    <div className={classes.page} data-over={!showsWhole}>
      <div className={classes.canvas}>
        <ReactFlowProvider>
          <TopologyCanvas
            key={estate.name}
            covered={isOpen && !showsWhole ? measures.inspector : 0}
            isForReading
            panel={null}
            onDelete={nothing}
          />
        </ReactFlowProvider>
      </div>
      {isOpen && (
        <aside className={classes.aside} aria-label={t('shell:page.details')}>
          <Inspector {...noForms} />
        </aside>
      )}
    </div>
  );
}
