import { Menu, Tooltip } from '@mantine/core';
import { IconMap2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';

import { useTour } from '../use-tour';

/** "Take the tour": on the map of the sample, what there is to see. */
export function TourButton() {
  const { t } = useTranslation('import');
  const { begin, isLoading, missing } = useTour();
  return (
    <GuardedButton
      barred={missing}
      size="sm"
      variant="default"
      loading={isLoading}
      leftSection={<IconMap2 size={17} />}
      onClick={begin}
    >
      {t('start.tour')}
    </GuardedButton>
  );
}

/** The same as an entry of a menu, where it can be reached from every page. */
export function TourMenuItem() {
  const { t } = useTranslation('import');
  const { begin, missing } = useTour();
  return (
    <Tooltip label={missing} disabled={missing === null} position="left">
      <Menu.Item
        leftSection={<IconMap2 size={16} />}
        aria-disabled={missing !== null}
        aria-description={missing ?? undefined}
        {...(missing === null ? {} : { 'data-disabled': true })}
        onClick={begin}
      >
        {t('start.tour')}
      </Menu.Item>
    </Tooltip>
  );
}
