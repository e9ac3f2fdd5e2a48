import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { BreakableName } from '@/components/ui/breakable-name';
import { EmptyState } from '@/components/ui/empty-state';
import type { Estate } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useSelection } from '@/hooks/use-view-state';
import { findDatabase, findInstance, findRoute, findService } from '@/topology/lookup';
import type { DatabasePath, Selection } from '@/topology/selection';

import { DatabaseInspector } from './database-inspector';
import { EstateInspector } from './estate-inspector';
import { GhostInspector } from './ghost-inspector';
import classes from './inspector.module.css';
import { InstanceInspector } from './instance-inspector';
import { RouteInspector } from './route-inspector';
import { ServiceInspector } from './service-inspector';

export type InspectorActions = {
  /** `toward` is the address that the route shall lead to, if that is known. */
  onAddRoute: (path: DatabasePath, toward?: string) => void;
  onChangeRoute: () => void;
  onDeleteRoute: () => void;
  onChangeEndpoint: () => void;
};

/** All there is to know of what is selected; of the whole estate when nothing is. */
export function Inspector(actions: InspectorActions) {
  const { t } = useTranslation('inspector');
  const estate = useEstatePage();
  const [selection, select] = useSelection();
  if (selection === null) {
    return <EstateInspector estate={estate} />;
  }
  const close = () => {
    select(null);
  };
  const isRemoved = isRemovedRoute(selection, estate);
  return (
    detailsOf(selection, estate, { ...actions, close }) ?? (
      <InspectorFrame
        kind={t(`kind.${selection.kind}`)}
        name={isRemoved && selection.kind === 'route' ? selection.route : t('notFound')}
        onClose={close}
      >
        <EmptyState>{isRemoved ? t('removed') : t('gone')}</EmptyState>
      </InspectorFrame>
    )
  );
}

function isRemovedRoute(selection: Selection, { draft_objects: objects }: Estate): boolean {
  return (
    selection.kind === 'route' &&
    objects.some(
      ({ effect, kind, instance, database, name }) =>
        effect === 'remove' &&
        kind === 'route' &&
        instance === selection.instance &&
        database === selection.database &&
        name === selection.route,
    )
  );
}

function detailsOf(
  selection: Selection,
  estate: ReturnType<typeof useEstatePage>,
  actions: InspectorActions & { close: () => void },
): ReactNode {
  switch (selection.kind) {
    case 'instance': {
      const instance = findInstance(estate, selection.instance);
      return (
        instance && (
          <InstanceInspector
            key={instance.name}
            estate={estate}
            instance={instance}
            actions={actions}
            onClose={actions.close}
          />
        )
      );
    }
    case 'database': {
      const database = findDatabase(estate, selection);
      return (
        database && (
          <DatabaseInspector
            estate={estate}
            path={selection}
            database={database}
            actions={actions}
            onClose={actions.close}
          />
        )
      );
    }
    case 'service': {
      const service = findService(estate, selection, selection.service);
      return service && <ServiceInspector estate={estate} path={selection} service={service} onClose={actions.close} />;
    }
    case 'route': {
      const route = findRoute(estate, selection, selection.route);
      return (
        route && (
          <RouteInspector estate={estate} path={selection} route={route} actions={actions} onClose={actions.close} />
        )
      );
    }
    case 'ghost':
      return <GhostInspector estate={estate} address={selection.address} onClose={actions.close} />;
  }
}

type FrameProps = {
  kind: string;
  name: string;
  /** Where it belongs: "PARIS · Ventes". */
  place?: string;
  badges?: ReactNode;
  onClose?: () => void;
  children: ReactNode;
  actions?: ReactNode;
};

/** The side panel's frame: identity on top, actions at the foot, in between what there is to read. */
export function InspectorFrame({ kind, name, place, badges, onClose, children, actions }: FrameProps) {
  const { t } = useTranslation('inspector');
  return (
    <div className={classes.inspector}>
      <header className={classes.head}>
        <div className={classes.kind}>
          <span>{kind}</span>
          {onClose !== undefined && <CloseButton size="sm" aria-label={t('close')} onClick={onClose} />}
        </div>
        <h2 className={classes.name}>
          <BreakableName>{name}</BreakableName>
        </h2>
        {place !== undefined && <p className={classes.place}>{place}</p>}
        {badges !== undefined && <div className={classes.badges}>{badges}</div>}
      </header>
      <div className={classes.body}>{children}</div>
      {actions !== undefined && <footer className={classes.actions}>{actions}</footer>}
    </div>
  );
}
