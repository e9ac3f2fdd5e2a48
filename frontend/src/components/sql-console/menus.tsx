import { Button, Menu } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Snippet } from './snippets';
import { forgetScripts, useHistoryStore, type Remembered } from './store';
import classes from './sql-console.module.css';

const none: readonly Remembered[] = [];

/** Scripts that were run from this browser, the latest first; one that is chosen takes the place of the text. */
export function HistoryMenu({ estate, onChoose }: { estate: string; onChoose: (script: string) => void }) {
  const { t } = useTranslation('sql');
  const scripts = useHistoryStore((store) => store.scripts[estate] ?? none);
  return (
    <Menu position="bottom-end" classNames={{ dropdown: classes.menu ?? '' }}>
      <Menu.Target>
        <Button size="xs" variant="default">
          {t('history.open')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t('history.none')}</Menu.Label>
        {scripts.map(({ script, instance, database, at }) => (
          <Menu.Item
            key={`${at} ${script}`}
            onClick={() => {
              onChoose(script);
            }}
          >
            <span className={classes.script}>{script.trim().replaceAll(/\s+/g, ' ').slice(0, 120)}</span>
            <span className={classes.where}>{t('history.entry', { instance, database })}</span>
          </Menu.Item>
        ))}
        {scripts.length > 0 && (
          <>
            <Menu.Divider />
            <Menu.Item
              onClick={() => {
                forgetScripts(estate);
              }}
            >
              {t('history.clear')}
            </Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Scripts to begin with; one that is chosen comes where the cursor is. */
export function SnippetMenu({ snippets, onChoose }: { snippets: Snippet[]; onChoose: (text: string) => void }) {
  const { t } = useTranslation('sql');
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button size="xs" variant="default">
          {t('snippets.open')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {snippets.map(({ id, text }) => (
          <Menu.Item
            key={id}
            onClick={() => {
              onChoose(text);
            }}
          >
            {t(`snippets.${id}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
