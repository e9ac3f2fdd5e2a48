import { ActionIcon, Menu, Tooltip, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun, type Icon } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useKeepPreference } from '@/hooks/use-preferences';

const schemes: { value: MantineColorScheme; sign: Icon }[] = [
  { value: 'auto', sign: IconDeviceDesktop },
  { value: 'light', sign: IconSun },
  { value: 'dark', sign: IconMoon },
];

/** System, light or dark; the choice survives a reload. */
export function ThemeSwitch() {
  const { t } = useTranslation('shell');
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const keep = useKeepPreference();
  const Sign = schemes.find((scheme) => scheme.value === colorScheme)?.sign ?? IconDeviceDesktop;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Tooltip label={t('theme.label')}>
          <ActionIcon size={32} aria-label={t('theme.label')}>
            <Sign size={19} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={colorScheme}
          onChange={(chosen) => {
            const theme = chosen as MantineColorScheme;
            setColorScheme(theme);
            keep({ theme });
          }}
        >
          {schemes.map(({ value, sign: Choice }) => (
            <Menu.RadioItem
              key={value}
              value={value}
              closeMenuOnClick
              checkIcon={<IconCheck size={14} />}
              rightSection={<Choice size={16} />}
            >
              {t(`theme.${value}`)}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
