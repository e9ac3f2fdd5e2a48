import { Kbd, Modal, Switch } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { commands, type Command } from '../canvas-keys';
import classes from './key-map.module.css';

const groups = ['go', 'view', 'edit', 'help'] as const satisfies readonly Command['group'][];
const signs: Readonly<Record<string, string>> = {
  ArrowLeft: '←',
  ArrowRight: '→',
  ArrowUp: '↑',
  ArrowDown: '↓',
  U: 'Shift+U',
};

type Props = { isOpen: boolean; onClose: () => void; isSingleOff: boolean; onSingleOff: (isOff: boolean) => void };

/** The keys of the canvas, from the table by which they are obeyed. */
export function KeyMap({ isOpen, onClose, isSingleOff, onSingleOff }: Props) {
  const { t } = useTranslation('canvas');
  return (
    <Modal
      opened={isOpen}
      onClose={onClose}
      title={t('keys.title')}
      size="lg"
      closeButtonProps={{ 'aria-label': t('keys.close') }}
    >
      <p className={classes.about}>{t('keys.about')}</p>
      <Switch
        checked={!isSingleOff}
        label={t('keys.single')}
        description={t('keys.singleAbout')}
        onChange={(event) => {
          onSingleOff(!event.currentTarget.checked);
        }}
      />
      {groups.map((group) => (
        <section key={group} aria-label={t(`keys.group.${group}`)}>
          <h3 className={classes.group}>{t(`keys.group.${group}`)}</h3>
          <dl className={classes.keys}>
            {commands
              .filter((command) => command.group === group)
              .map(({ id, keys }) => (
                <div key={id} className={classes.line}>
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key} size="xs">
                        {shown(key)}
                      </Kbd>
                    ))}
                  </dt>
                  <dd>{t(`keys.command.${id}`)}</dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
    </Modal>
  );
}

function shown(key: string): string {
  const parts = key === '+' ? [key] : key.split('+');
  return parts.map((part) => signs[part] ?? (part.length === 1 ? part.toUpperCase() : part)).join(' + ');
}
