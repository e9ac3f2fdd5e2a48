import { ActionIcon, Button, Checkbox, Popover, Tooltip } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useFindingCounts } from '@/hooks/use-findings';
import { useLayers } from '@/hooks/use-layers';
import { numberText } from '@/i18n';
import { useLiveStore } from '@/lib/live-store';
import { countsOf, layers } from '@/topology/layers';

import classes from './layer-menu.module.css';

type Props = { isOpen: boolean; onOpen: (isOpen: boolean) => void };

/** Which layers are drawn. */
export function LayerMenu({ isOpen, onOpen }: Props) {
  const { t } = useTranslation('canvas');
  const { hidden } = useLayers();
  return (
    <Popover
      opened={isOpen}
      onChange={onOpen}
      position="right-end"
      shadow="md"
      width={300}
      withinPortal
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <Tooltip label={t('layers.title')} position="right" disabled={isOpen}>
          <ActionIcon
            size={32}
            aria-label={t('layers.title')}
            aria-description={hidden.size === 0 ? undefined : t('layers.count', { count: hidden.size })}
            data-hiding={hidden.size > 0}
            className={classes.button}
            onClick={() => {
              onOpen(!isOpen);
            }}
          >
            <IconStack2 size={17} />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={t('layers.title')}>
        <LayerChoices />
      </Popover.Dropdown>
    </Popover>
  );
}

function LayerChoices() {
  const { t } = useTranslation('canvas');
  const estate = useEstatePage();
  const { total: findings } = useFindingCounts();
  const { hidden, turn } = useLayers();
  const answering = useLiveStore(
    ({ live }) =>
      Object.values(live.instances).filter(
        ({ view, unavailable, isCurrent }) => view !== null && unavailable === null && isCurrent,
      ).length,
  );
  const counts = useMemo(() => ({ ...countsOf(estate), findings, live: answering }), [estate, findings, answering]);
  return (
    <fieldset className={classes.choices}>
      <legend>{t('layers.title')}</legend>
      {layers.map((layer) => (
        <Checkbox
          key={layer}
          checked={!hidden.has(layer)}
          label={t('layers.choice', { layer: t(`layers.name.${layer}`), shown: numberText(counts[layer]) })}
          description={t(`layers.about.${layer}`)}
          onChange={() => {
            turn(layer);
          }}
        />
      ))}
    </fieldset>
  );
}

/** Says what is left out, so that nothing is missing in silence; nothing when all is there. */
export function HiddenNotice() {
  const { t, i18n } = useTranslation('canvas');
  const { hidden, showAll } = useLayers();
  const names = layers.filter((layer) => hidden.has(layer)).map((layer) => t(`layers.name.${layer}`));
  return (
    hidden.size > 0 && (
      <div className={classes.notice} role="status">
        <span>{t('layers.hidden', { names: new Intl.ListFormat(i18n.language, { type: 'unit' }).format(names) })}</span>
        <Button size="compact-xs" variant="default" onClick={showAll}>
          {t('layers.showAll')}
        </Button>
      </div>
    )
  );
}
