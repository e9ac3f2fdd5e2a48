import { CopyButton, Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { RouteLine, ToldHop } from '@/contracts/api';

import classes from './what-if-panel.module.css';

/** The T-SQL that makes the route which decided, and the engine's own account of the decision. */
export function HopLines({ hop, lines }: { hop: ToldHop; lines: readonly RouteLine[] }) {
  const { t } = useTranslation(['trace', 'common']);
  const line = lines.find(
    ({ instance, database, name }) => instance === hop.instance && database === hop.table && name === hop.route,
  );
  return (
    <div className={classes.small}>
      {line !== undefined && (
        <details>
          <summary>{t('hop.line', { route: line.name })}</summary>
          <pre>{line.text}</pre>
          <CopyButton value={line.text}>
            {({ copied, copy }) => (
              <Button variant="subtle" color="gray" size="compact-xs" onClick={copy}>
                {copied ? t('common:copied') : t('common:copy')}
              </Button>
            )}
          </CopyButton>
        </details>
      )}
      <details>
        <summary>{t('hop.proof')}</summary>
        <ol>
          {hop.proof.map((said, place) => (
            <li key={place}>{said}</li>
          ))}
        </ol>
      </details>
    </div>
  );
}
