import { ActionIcon, Menu, Tooltip, useMantineColorScheme, type MantineColorScheme } from '@mantine/core';
import { IconCheck, IconDeviceDesktop, IconMoon, IconSun, type Icon } from '@tabler/icons-react';

const schemes: { value: MantineColorScheme; word: string; sign: Icon }[] = [
  { value: 'auto', word: 'As the system', sign: IconDeviceDesktop },
  { value: 'light', word: 'Light', sign: IconSun },
  { value: 'dark', word: 'Dark', sign: IconMoon },
];

/** System, light or dark; the choice survives a reload. */
export function ThemeSwitch() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const Sign = schemes.find((scheme) => scheme.value === colorScheme)?.sign ?? IconDeviceDesktop;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Tooltip label="Theme">
          <ActionIcon size={32} aria-label="Theme">
            <Sign size={19} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, word, sign: Choice }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            leftSection={<Choice size={16} />}
            rightSection={colorScheme === value ? <IconCheck size={14} /> : null}
            onClick={() => {
              setColorScheme(value);
            }}
          >
            {word}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
