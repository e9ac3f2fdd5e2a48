import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconCheck, IconLanguage } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { useKeepPreference } from '@/hooks/use-preferences';
import { languages, setLanguage, type Language } from '@/i18n';

/** English, French or German; the choice survives a reload. Each language is named in itself. */
export function LanguageSwitch() {
  const { t, i18n } = useTranslation('shell');
  const keep = useKeepPreference();
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Tooltip label={t('language')}>
          <ActionIcon size={32} aria-label={t('language')}>
            <IconLanguage size={19} stroke={1.7} />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.RadioGroup
          value={i18n.language}
          onChange={(chosen) => {
            const language = chosen as Language;
            void setLanguage(language);
            keep({ language });
          }}
        >
          {(Object.keys(languages) as Language[]).map((language) => (
            <Menu.RadioItem
              key={language}
              value={language}
              lang={language}
              closeMenuOnClick
              checkIcon={<IconCheck size={14} />}
            >
              {languages[language]}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  );
}
