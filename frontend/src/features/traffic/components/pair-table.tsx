import { Checkbox, Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { BreakableName } from '@/components/ui/breakable-name';
import { EmptyState } from '@/components/ui/empty-state';
import { numberText } from '@/i18n';

import { termsKey, type PairRow, type Terms } from '../rows';
import classes from './traffic.module.css';

type Props = {
  rows: readonly PairRow[];
  left: ReadonlySet<string>;
  isLocked: boolean;
  onToggle: (key: string) => void;
  onPick: (key: string, terms: Terms) => void;
};

const numbers = ['sent', 'received', 'answered', 'waiting', 'failed'] as const;

/** The pairs, which of them take part, what they send, and what has become of it. */
export function PairTable({ rows, left, isLocked, onToggle, onPick }: Props) {
  const { t } = useTranslation('traffic');
  if (rows.length === 0) {
    return <EmptyState>{t('noPairs')}</EmptyState>;
  }
  return (
    // A scrolling region must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={classes.scroll} role="region" aria-label={t('pairs')} tabIndex={0}>
      <table className={classes.table}>
        <thead>
          <tr>
            <th scope="col">{t('column.from')}</th>
            <th scope="col">{t('column.to')}</th>
            <th scope="col">{t('column.terms')}</th>
            {numbers.map((name) => (
              <th key={name} scope="col" data-number title={t(`hint.${name}`)}>
                {t(`figure.${name}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.key} data-left={!isLocked && left.has(row.key)}>
              <td>
                <div className={classes.from}>
                  <Checkbox
                    checked={isLocked || !left.has(row.key)}
                    disabled={isLocked}
                    aria-label={t('takesPart', { from: row.from.service, to: row.toService })}
                    onChange={() => {
                      onToggle(row.key);
                    }}
                  />
                  <Place service={row.from.service} where={`${row.from.instance} · ${row.from.database}`} />
                </div>
              </td>
              <td>
                <Place
                  service={row.toService}
                  where={row.to === null ? t('unrouted') : `${row.to.instance} · ${row.to.database}`}
                />
              </td>
              <td>
                <TermsCell row={row} isLocked={isLocked} onPick={onPick} />
              </td>
              {numbers.map((name) => (
                <td key={name} data-number data-bad={name === 'failed' && (row.figures?.failed ?? 0) > 0}>
                  {row.figures === null ? '–' : numberText(row.figures[name])}
                  {name === 'waiting' && row.figures?.is_held === true && <Badge>{t('held')}</Badge>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Place({ service, where }: { service: string; where: string }) {
  return (
    <span className={classes.place}>
      <strong>
        <BreakableName>{service}</BreakableName>
      </strong>
      <span>{where}</span>
    </span>
  );
}

function TermsCell({ row, isLocked, onPick }: { row: PairRow; isLocked: boolean; onPick: Props['onPick'] }) {
  const { t } = useTranslation('traffic');
  if (isLocked || row.terms.length === 1) {
    return <TermsText terms={row.chosen} />;
  }
  return (
    <Select
      size="xs"
      aria-label={t('termsOf', { from: row.from.service, to: row.toService })}
      allowDeselect={false}
      data={row.terms.map((terms) => ({ value: termsKey(terms), label: `${terms.contract} · ${terms.message_type}` }))}
      value={termsKey(row.chosen)}
      onChange={(value) => {
        const terms = row.terms.find((each) => termsKey(each) === value);
        if (terms !== undefined) {
          onPick(row.key, terms);
        }
      }}
    />
  );
}

function TermsText({ terms }: { terms: Terms }) {
  return (
    <span className={classes.place}>
      <BreakableName>{terms.message_type}</BreakableName>
      {terms.contract !== terms.message_type && (
        <span>
          <BreakableName>{terms.contract}</BreakableName>
        </span>
      )}
    </span>
  );
}
