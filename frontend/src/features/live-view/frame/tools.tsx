import { Button, NativeSelect, TextInput } from '@mantine/core';
import { IconCopy, IconPlayerPause, IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { useTypedParameter } from '@/hooks/use-view-state';

import type { LiveList } from './use-live-list';

/** The text that rows must have somewhere. */
export function TextFilter() {
  const { t } = useTranslation('views');
  const [text, setText] = useTypedParameter('text');
  return (
    <TextInput
      size="xs"
      leftSection={<IconSearch size={14} />}
      aria-label={t('filter.label')}
      placeholder={t('filter.placeholder')}
      value={text}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
      }}
    />
  );
}

/** Where rows come from: all instances or one, and of that all databases or one. */
export function PlaceFilter({ list, hasDatabases }: { list: LiveList; hasDatabases: boolean }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const { instance, database, setPlace } = list.query;
  const databases = estate.instances.find(({ name }) => name === instance)?.databases ?? [];
  return (
    <>
      <NativeSelect
        size="xs"
        aria-label={t('filter.instance')}
        value={instance ?? ''}
        data={[{ value: '', label: t('filter.everyInstance') }, ...estate.instances.map(({ name }) => name)]}
        onChange={({ currentTarget }) => {
          setPlace(currentTarget.value || null);
        }}
      />
      {hasDatabases && instance !== null && (
        <NativeSelect
          size="xs"
          aria-label={t('filter.database')}
          value={database ?? ''}
          data={[{ value: '', label: t('filter.everyDatabase') }, ...databases.map(({ name }) => name)]}
          onChange={({ currentTarget }) => {
            setPlace(instance, currentTarget.value || null);
          }}
        />
      )}
    </>
  );
}

export function PauseButton({ list }: { list: LiveList }) {
  const { t } = useTranslation('views');
  const { isPaused, pause, resume } = list.pause;
  return isPaused ? (
    <Button size="xs" leftSection={<IconPlayerPlay size={14} />} onClick={resume}>
      {t('resume', { count: list.waiting })}
    </Button>
  ) : (
    <Button size="xs" variant="default" leftSection={<IconPlayerPause size={14} />} onClick={pause}>
      {t('pause')}
    </Button>
  );
}

export function CopyButton({ list, onCopy }: { list: LiveList; onCopy: () => void }) {
  const { t } = useTranslation('views');
  const count = list.selected.size;
  return (
    <Button size="xs" variant="default" leftSection={<IconCopy size={14} />} onClick={onCopy} title={t('copy.hint')}>
      {count === 0 ? t('copy.shown') : t('copy.selected', { count })}
    </Button>
  );
}
