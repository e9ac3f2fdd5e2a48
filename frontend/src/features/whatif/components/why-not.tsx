import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

import type { Estate, RouteLine, ToldHop } from '@/contracts/api';
import { useSelection } from '@/hooks/use-view-state';
import { routeText } from '@/topology/path';
import { formatSelection } from '@/topology/selection';

import { lossSentence } from '../words';
import classes from './what-if-panel.module.css';

type Props = {
  estate: Estate;
  hop: ToldHop;
  lines: readonly RouteLine[];
  isOpen: boolean;
  onOpen: (isOpen: boolean) => void;
};

/**
 * The other routes of the table, each with the one reason for which it was not taken; drawn on the map meanwhile. The
 * one that is selected there has its T-SQL here.
 */
export function WhyNot({ estate, hop, lines, isOpen, onOpen }: Props) {
  const { t } = useTranslation('trace');
  const id = useId();
  const [selection, select] = useSelection();
  const chosen = selection === null ? null : formatSelection(selection);
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <div className={classes.whyNot}>
      <UnstyledButton
        className={classes.whyButton}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => {
          onOpen(!isOpen);
        }}
      >
        <Sign aria-hidden size={15} />
        {t('hop.whyNot', { count: hop.losses.length + hop.others })}
      </UnstyledButton>
      <div id={id} hidden={!isOpen}>
        <ul>
          {hop.losses.map((loss) => (
            <li key={loss.route}>
              <UnstyledButton
                className={classes.loser}
                title={t('hop.onMap', { route: loss.route })}
                onClick={() => {
                  select({ kind: 'route', instance: hop.instance, database: hop.table, route: loss.route });
                }}
              >
                {loss.route}
              </UnstyledButton>
              <span>{lossSentence(estate, hop, loss)}</span>
              {chosen === routeText(hop.instance, hop.table, loss.route) && (
                <pre className={classes.loserLine}>{lineOf(lines, hop, loss.route)}</pre>
              )}
            </li>
          ))}
          {hop.others > 0 && <li>{t('hop.others', { count: hop.others })}</li>}
        </ul>
      </div>
    </div>
  );
}

/** The statement that makes a route of the table that decided. */
function lineOf(lines: readonly RouteLine[], hop: ToldHop, route: string): string | undefined {
  return lines.find(
    ({ instance, database, name }) => instance === hop.instance && database === hop.table && name === route,
  )?.text;
}
