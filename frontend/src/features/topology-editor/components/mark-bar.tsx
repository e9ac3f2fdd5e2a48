import { Button, TextInput } from '@mantine/core';
import { Panel } from '@xyflow/react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { BulkEditDialog } from '@/components/bulk-edit/bulk-edit-dialog';
import { GuardedButton } from '@/components/ui/guarded-button';
import { useDraftNumber } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMarked, type MarkAction } from '@/hooks/use-marked';
import { useMissingRight } from '@/hooks/use-rights';
import { ids } from '@/topology/graph';
import { instancesOf, objectNames, placesOf } from '@/topology/marking';

import classes from './move-bar.module.css';

type BarProps = { onArrange: (instances: ReadonlySet<string>) => void };

/** What can be done with the routes and boxes that are selected together. */
export function MarkBar({ onArrange }: BarProps) {
  const { routes, boxes, action, ask, clear } = useMarked();
  const { t } = useTranslation('canvas');
  const missing = useMissingRight('edit');
  const count = routes.size;
  if (count === 0 && boxes.size === 0) {
    return null;
  }
  const title = t('marked.count', { routes: count, boxes: boxes.size });
  return (
    <>
      <Panel position="top-center" className={classes.bar} role="toolbar" aria-label={title}>
        <strong>{title}</strong>
        {boxes.size > 0 && <BoxActions boxes={boxes} onArrange={onArrange} />}
        {count > 0 &&
          (['lifetime', 'address', 'delete'] as const).map((one) => (
            <GuardedButton
              key={one}
              barred={missing}
              size="compact-sm"
              variant={one === 'delete' ? 'outline' : 'default'}
              {...(one === 'delete' ? { color: 'red' } : {})}
              onClick={() => {
                ask(one);
              }}
            >
              {t(`marked.${one}`)}
            </GuardedButton>
          ))}
        <Button size="compact-sm" variant="subtle" color="gray" onClick={clear}>
          {t('marked.clear')}
        </Button>
      </Panel>
      {action !== null && (
        <MarkDialog
          action={action}
          routes={routes}
          onClose={(isDone) => {
            ask(null);
            if (isDone && action === 'delete') {
              clear();
            }
          }}
        />
      )}
    </>
  );
}

/** What is about instances and databases: where they stand, and their T-SQL. */
function BoxActions({ boxes, onArrange }: BarProps & { boxes: ReadonlySet<string> }) {
  const { t } = useTranslation('canvas');
  const { name } = useEstatePage();
  const missing = useMissingRight('edit');
  const instances = instancesOf(boxes);
  const query = new URLSearchParams(placesOf(boxes).map((place) => ['place', place]));
  return (
    <>
      <GuardedButton
        barred={missing ?? (instances.size < 2 ? t('marked.arrangeNeeds') : null)}
        size="compact-sm"
        variant="default"
        onClick={() => {
          onArrange(new Set([...instances].map(ids.instance)));
        }}
      >
        {t('marked.arrange')}
      </GuardedButton>
      <Button
        component={Link}
        to={`/estates/${encodeURIComponent(name)}/export?${query.toString()}`}
        size="compact-sm"
        variant="default"
      >
        {t('marked.export')}
      </Button>
    </>
  );
}

type DialogProps = { action: MarkAction; routes: ReadonlySet<string>; onClose: (isDone: boolean) => void };

function MarkDialog({ action, routes, onClose }: DialogProps) {
  const { t } = useTranslation('canvas');
  const draft = useDraftNumber();
  const [typed, setTyped] = useState('');
  // The routes that the dialog was opened for: those that are deleted in it are no more selected afterwards.
  const [objects] = useState(() => objectNames(routes));
  const text = typed.trim();
  const isWrong = action === 'lifetime' ? !/^[1-9]?\d*$/.test(text) : action === 'address' && text === '';
  const patch = {
    lifetime: { lifetime_seconds: text === '' ? null : Number(text) },
    address: { address: text },
    delete: {},
  }[action];
  return (
    <BulkEditDialog
      kind="route"
      wanted={{ action: action === 'delete' ? 'drop' : 'alter', objects, patch }}
      count={objects.length}
      draft={draft}
      barred={isWrong ? t(`marked.needs.${action === 'lifetime' ? 'lifetime' : 'address'}`) : null}
      fields={(refused) => (
        <TextInput
          data-autofocus
          label={t(`marked.fields.${action === 'lifetime' ? 'lifetime' : 'address'}`)}
          description={action === 'lifetime' ? t('marked.never') : undefined}
          inputMode={action === 'lifetime' ? 'numeric' : 'url'}
          value={typed}
          error={refused !== null}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
      )}
      onClose={onClose}
    />
  );
}
