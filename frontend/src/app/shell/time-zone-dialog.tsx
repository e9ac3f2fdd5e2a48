import { Modal, Select, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { useNow } from '@/hooks/use-now';
import { useKeepPreference } from '@/hooks/use-preferences';
import { tellDone } from '@/lib/notices';
import { absoluteTime, browserZone, everyZone, setTimeZone, useTimeZone, utc, zoneName } from '@/lib/time';

/** In which zone every time is shown: UTC, the browser's, or any that has a name. */
export function TimeZoneDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { t } = useTranslation('account');
  const chosen = useTimeZone((store) => store.chosen);
  const keep = useKeepPreference();
  const now = useNow();
  const zones = useMemo(
    () => [
      {
        group: t('zone.usual'),
        items: [
          { value: utc, label: utc },
          { value: browserZone, label: t('zone.browser', { zone: zoneName(browserZone) }) },
        ],
      },
      { group: t('zone.named'), items: everyZone() },
    ],
    [t],
  );
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title={t('zone.heading')}
      size="sm"
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Select
        label={t('zone.label')}
        data={zones}
        value={chosen}
        searchable
        allowDeselect={false}
        nothingFoundMessage={t('zone.none')}
        maxDropdownHeight={280}
        data-autofocus
        onChange={(zone) => {
          if (zone !== null) {
            setTimeZone(zone);
            keep({ time_zone: zone });
            tellDone(t('zone.chosen', { zone: zoneName(zone) }));
            onClose();
          }
        }}
      />
      <Text size="sm" c="dimmed" mt="sm" role="status">
        {t('zone.now', { time: absoluteTime(Math.floor(now / 1000) * 1000) })}
      </Text>
    </Modal>
  );
}
