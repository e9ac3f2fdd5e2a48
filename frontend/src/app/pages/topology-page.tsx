import { ReactFlowProvider } from '@xyflow/react';

import { LiveDrawer } from '@/app/shell/live-drawer';
import { RouteDeletion } from '@/features/route-editor/components/route-deletion';
import { RouteEditor } from '@/features/route-editor/components/route-editor';
import { Inspector } from '@/features/topology-editor/components/inspector/inspector';
import { TopologyCanvas } from '@/features/topology-editor/components/topology-canvas';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSelection } from '@/hooks/use-view-state';
import { findDatabase, findRoute } from '@/topology/lookup';

import classes from './topology-page.module.css';

/** The estate as a drawing, with what is selected beside it and the live tables below. */
export default function TopologyPage() {
  return (
    <div className={classes.page}>
      <div className={classes.centre}>
        <div className={classes.canvas}>
          <ReactFlowProvider>
            <TopologyCanvas />
          </ReactFlowProvider>
        </div>
        <LiveDrawer />
      </div>
      <aside className={classes.aside} aria-label="Details">
        <SidePanel />
      </aside>
    </div>
  );
}

/** The inspector, or the route form when one is being added or changed. */
function SidePanel() {
  const estate = useEstatePage();
  const [selection, select] = useSelection();
  const [edit, setEdit] = useParameter('edit');
  const close = () => {
    setEdit(null);
  };

  if (edit === 'add' && selection?.kind === 'database' && findDatabase(estate, selection) !== undefined) {
    const { instance, database } = selection;
    const scope = { instance, database };
    return (
      <RouteEditor
        key={`${instance}/${database}`}
        scope={scope}
        route={null}
        onCancel={close}
        onDone={(route) => {
          select({ kind: 'route', ...scope, route }, { edit: null });
        }}
      />
    );
  }
  const route = selection?.kind === 'route' ? findRoute(estate, selection, selection.route) : undefined;
  if (selection?.kind === 'route' && route !== undefined && edit === 'change') {
    const { instance, database } = selection;
    return <RouteEditor key={`${instance}/${database}/${route.name}`} scope={{ instance, database }} route={route} onCancel={close} onDone={close} />;
  }
  return (
    <>
      <Inspector
        onAddRoute={(path) => {
          select({ kind: 'database', instance: path.instance, database: path.database }, { edit: 'add' });
        }}
        onChangeRoute={() => {
          setEdit('change');
        }}
        onDeleteRoute={() => {
          setEdit('delete');
        }}
      />
      {selection?.kind === 'route' && route !== undefined && edit === 'delete' && (
        <RouteDeletion
          scope={{ instance: selection.instance, database: selection.database }}
          route={route}
          onCancel={close}
          onDone={() => {
            select({ kind: 'database', instance: selection.instance, database: selection.database }, { edit: null });
          }}
        />
      )}
    </>
  );
}
