import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core';
import { useHotkeys, useMediaQuery } from '@mantine/hooks';
import { IconListDetails, IconListTree } from '@tabler/icons-react';
import { ReactFlowProvider } from '@xyflow/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { LiveDrawer } from '@/app/shell/live-drawer';
import { EndpointEditor } from '@/features/endpoint-editor/components/endpoint-editor';
import { RouteEditor } from '@/features/route-editor/components/route-editor';
import { useRouteDeletion } from '@/features/route-editor/use-route-deletion';
import { Inspector } from '@/features/topology-editor/components/inspector/inspector';
import { Outline } from '@/features/topology-editor/components/outline/outline';
import { TopologyCanvas } from '@/features/topology-editor/components/topology-canvas';
import { Tour } from '@/features/tour/components/tour';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter, useSelection, useSetParameters } from '@/hooks/use-view-state';
import { measures } from '@/theme/tokens';
import { findDatabase, findInstance, findRoute } from '@/topology/lookup';
import type { Selection } from '@/topology/selection';

import classes from './topology-page.module.css';

/** The estate as a drawing, with what is selected beside it and the live tables below. */
export default function TopologyPage() {
  const { t } = useTranslation('shell');
  const { isOpen, isOver, toggle } = useSidePanel();
  const estate = useEstatePage();
  const outline = useOutline();
  const remove = useDeletion();
  return (
    <div className={classes.page} data-panel={isOpen} data-over={isOver} data-outline={outline.isOpen}>
      <VisuallyHidden component="h1">{t('navigation.topology')}</VisuallyHidden>
      {outline.isOpen && (
        <div className={classes.outline}>
          <Outline
            onClose={outline.toggle}
            sought={outline.sought}
            onDelete={({ selection }) => {
              remove(selection);
            }}
          />
        </div>
      )}
      <div className={classes.centre}>
        <div className={classes.canvas}>
          <ReactFlowProvider>
            <TopologyCanvas
              key={estate.name}
              covered={isOpen && isOver ? measures.inspector : 0}
              onDelete={remove}
              panel={
                <>
                  <Tooltip label={outline.isOpen ? t('page.outlineHide') : t('page.outlineShow')} position="right">
                    <ActionIcon
                      size={32}
                      aria-label={t('page.outline')}
                      aria-expanded={outline.isOpen}
                      onClick={outline.toggle}
                    >
                      <IconListTree size={18} />
                    </ActionIcon>
                  </Tooltip>
                  <Tooltip label={isOpen ? t('page.detailsHide') : t('page.detailsShow')} position="right">
                    <ActionIcon size={32} aria-label={t('page.detailsShow')} aria-expanded={isOpen} onClick={toggle}>
                      <IconListDetails size={18} />
                    </ActionIcon>
                  </Tooltip>
                </>
              }
            />
          </ReactFlowProvider>
          <Tour />
        </div>
        <LiveDrawer />
      </div>
      {isOpen && (
        <aside className={classes.aside} aria-label={t('page.details')}>
          <SidePanel />
        </aside>
      )}
    </div>
  );
}

/** The outline beside the drawing; `/` opens it and goes to its search. */
function useOutline() {
  const [shown, setShown] = useParameter('outline');
  const isOpen = shown === 'open';
  const [sought, setSought] = useState(0);
  useHotkeys([
    [
      '/',
      () => {
        setShown('open');
        setSought(sought + 1);
      },
    ],
  ]);
  return {
    isOpen,
    sought,
    toggle: () => {
      setShown(isOpen ? null : 'open');
    },
  };
}

/** Open when something is selected or there is room; who opens or closes it by hand is obeyed. */
function useSidePanel() {
  const [selection] = useSelection();
  const [panel] = useParameter('panel');
  const set = useSetParameters();
  const hasRoom = useMediaQuery('(min-width: 1500px)', window.innerWidth >= 1500);
  const isOpen = selection !== null || (panel === null ? hasRoom : panel === 'open');
  return {
    isOpen,
    /** Without room beside the drawing it lies over it. */
    isOver: !hasRoom,
    toggle: () => {
      set(isOpen ? { panel: 'closed', select: null, edit: null } : { panel: 'open' });
    },
  };
}

/** Deletes what is selected if it is a route, and selects the database that it was in. */
function useDeletion() {
  const estate = useEstatePage();
  const [, select] = useSelection();
  const missing = useMissingRight('edit');
  const { mutate } = useRouteDeletion(({ instance, database }) => {
    select({ kind: 'database', instance, database }, { edit: null }, 'correction');
  });
  return (selection: Selection | null) => {
    const route = selection?.kind === 'route' ? findRoute(estate, selection, selection.route) : undefined;
    if (selection?.kind === 'route' && route !== undefined && missing === null) {
      mutate({ scope: { instance: selection.instance, database: selection.database }, route });
    }
  };
}

/** No form, and nothing that one would begin with. */
const formClosed = { edit: null, to: null, for: null };

/** The inspector, or the route form when one is being added or changed. */
function SidePanel() {
  const estate = useEstatePage();
  const [selection, select] = useSelection();
  const [edit, setEdit] = useParameter('edit');
  const remove = useDeletion();
  const [toward] = useParameter('to');
  const [service] = useParameter('for');
  const set = useSetParameters();
  const close = () => {
    set(formClosed);
  };
  /** Back does not lead to a form whose work is done. */
  const finish = () => {
    set(formClosed, 'correction');
  };

  if (edit === 'add' && selection?.kind === 'database' && findDatabase(estate, selection) !== undefined) {
    const { instance, database } = selection;
    const scope = { instance, database };
    return (
      <RouteEditor
        key={`${instance}/${database}/${toward ?? ''}/${service ?? ''}`}
        scope={scope}
        route={null}
        toward={toward}
        service={service}
        onCancel={close}
        onDone={(route) => {
          select({ kind: 'route', ...scope, route }, formClosed, 'correction');
        }}
      />
    );
  }
  const endpoint = selection?.kind === 'instance' ? (findInstance(estate, selection.instance)?.endpoint ?? null) : null;
  if (selection?.kind === 'instance' && endpoint !== null && edit === 'endpoint') {
    return (
      <EndpointEditor
        key={selection.instance}
        instance={selection.instance}
        endpoint={endpoint}
        onCancel={close}
        onDone={finish}
      />
    );
  }
  const route = selection?.kind === 'route' ? findRoute(estate, selection, selection.route) : undefined;
  if (selection?.kind === 'route' && route !== undefined && edit === 'change') {
    const { instance, database } = selection;
    return (
      <RouteEditor
        key={`${instance}/${database}/${route.name}`}
        scope={{ instance, database }}
        route={route}
        onCancel={close}
        onDone={finish}
      />
    );
  }
  return (
    <>
      <Inspector
        onAddRoute={(path, toward) => {
          select(
            { kind: 'database', instance: path.instance, database: path.database },
            { edit: 'add', to: toward ?? null, for: null },
          );
        }}
        onChangeRoute={() => {
          setEdit('change');
        }}
        onDeleteRoute={() => {
          remove(selection);
        }}
        onChangeEndpoint={() => {
          setEdit('endpoint');
        }}
      />
    </>
  );
}
