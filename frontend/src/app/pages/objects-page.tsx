import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';

import { Page, Split } from '@/components/ui/page';
import { KindTabs } from '@/features/objects/components/kind-tabs';
import { ObjectForm } from '@/features/objects/components/object-form';
import { ObjectList } from '@/features/objects/components/object-list';
import { ObjectPanel } from '@/features/objects/components/object-panel';
import { EditedObject } from '@/features/objects/components/edited-object';
import { isKind, type KindName } from '@/features/objects/kinds';
import { keyOf, parseName } from '@/features/objects/object-name';
import { RouteEditor } from '@/features/route-editor/components/route-editor';
import { useDraftNumber } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { findRoute } from '@/topology/lookup';

import NotFoundPage from './not-found-page';

/** Lists of every kind of object, with the details of one, or its form, beside them. */
export default function ObjectsPage() {
  const { kind = 'route' } = useParams();
  return isKind(kind) ? <Objects kind={kind} /> : <NotFoundPage />;
}

function Objects({ kind }: { kind: KindName }) {
  const { t } = useTranslation('objects');
  const [object] = useParameter('object');
  const [form] = useParameter('form');
  const [target] = useParameter('target');
  const set = useSetParameters();
  const isOpen = object !== null || form !== null;
  return (
    <Split
      label={t(`kinds.${kind}.one`)}
      details={isOpen ? <Side key={`${kind}/${object ?? ''}/${form ?? ''}`} kind={kind} /> : null}
    >
      <Page heading={t('heading')} tools={<KindTabs kind={kind} isMirrors={kind === 'database' && target === ':'} />}>
        <ObjectList
          key={kind}
          kind={kind}
          onNew={() => {
            set({ form: 'new', object: null });
          }}
        />
      </Page>
    </Split>
  );
}

function Side({ kind }: { kind: KindName }) {
  const estate = useEstatePage();
  const draft = useDraftNumber();
  const [text] = useParameter('object');
  const [form] = useParameter('form');
  const set = useSetParameters();
  const object = parseName(text);
  const scope =
    object === null || typeof object.database !== 'string'
      ? null
      : { instance: object.instance, database: object.database };
  const close = () => {
    set({ form: null });
  };
  if (form === 'new') {
    return (
      <ObjectForm
        kind={kind}
        existing={null}
        onCancel={close}
        onDone={(name) => {
          set({ form: null, object: keyOf(name) }, 'correction');
        }}
      />
    );
  }
  if (object === null) {
    return null;
  }
  const route = kind === 'route' && scope !== null ? findRoute(estate, scope, object.name) : undefined;
  if (form === 'edit' && route !== undefined && scope !== null) {
    return <RouteEditor scope={scope} route={route} onCancel={close} onDone={close} />;
  }
  if (form === 'edit') {
    return <EditedObject kind={kind} object={object} draft={draft} onClose={close} />;
  }
  return (
    <ObjectPanel
      kind={kind}
      object={object}
      draft={draft}
      onEdit={() => {
        set({ form: 'edit' });
      }}
      onClose={() => {
        set({ object: null, form: null });
      }}
    />
  );
}
