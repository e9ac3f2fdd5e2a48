import { Checkbox } from '@mantine/core';
import { IconArrowNarrowRight } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { GuardedButton } from '@/components/ui/guarded-button';
import plain from '@/components/ui/plain-table.module.css';
import { FlowName } from '@/components/what-if/flow-name';
import { DispositionSign } from '@/components/what-if/light-sign';
import type { ChangeSet, DraftFlow, DraftFlows } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { authorText } from '@/topology/object-words';
import { whatIfAddress } from '@/topology/what-if-address';

import type { Change } from '../api/draft-flows-read';
import { byRoute, type FlowGroup } from '../flow-groups';
import { useIntend } from '../use-flow-impact';
import classes from './flow-impact.module.css';

type Props = { estate: string; changeSet: ChangeSet; flows: DraftFlows; change: Change; isOlder: boolean };

/** Flows with what they were and what they will be; lost ones in groups by what decided them before. */
export function FlowTable({ estate, changeSet, flows, change, isOlder }: Props) {
  const { t } = useTranslation('impact');
  const missing = useMissingRight('edit');
  const intend = useIntend(estate, changeSet.number);
  const barred = missing ?? (isOlder ? t('older') : null);
  const isLost = change === 'lost';
  const tick = (rows: readonly DraftFlow[], intended: boolean) => {
    intend.mutate({ keys: rows.map(({ key }) => key), intended });
  };
  return (
    <table className={`${plain.table ?? ''} ${classes.table ?? ''}`} data-stale={isOlder} aria-busy={isOlder}>
      <caption>{t(`label_${change}`)}</caption>
      <thead>
        <tr>
          {isLost && (
            <th scope="col" className={classes.tickHead}>
              {t('head.intended')}
            </th>
          )}
          <th scope="col">{t('head.flow')}</th>
          <th scope="col">{t('head.verdict')}</th>
          <th scope="col">{t('head.route')}</th>
          <th scope="col" className={classes.seenHead}>
            {t('head.seen')}
          </th>
          <th scope="col" className={classes.askHead}>
            {t('head.ask')}
          </th>
        </tr>
      </thead>
      {isLost ? (
        byRoute(flows.rows).map((group) => (
          <tbody key={group.key}>
            <GroupHead group={group} isWhole={flows.pages === 1} barred={barred} onTick={tick} />
            {group.rows.map((row) => (
              <FlowLine key={row.key} estate={estate} draft={changeSet.number} row={row}>
                <Tick row={row} barred={barred} asked={askedOf(intend, row)} isBusy={intend.isPending} onTick={tick} />
              </FlowLine>
            ))}
          </tbody>
        ))
      ) : (
        <tbody>
          {flows.rows.map((row) => (
            <FlowLine key={row.key} estate={estate} draft={changeSet.number} row={row} />
          ))}
        </tbody>
      )}
    </table>
  );
}

type OnTick = (rows: readonly DraftFlow[], intended: boolean) => void;

type HeadProps = { group: FlowGroup; isWhole: boolean; barred: string | null; onTick: OnTick };

/** What decided the flows below, and all of them ticked at once; of a list in pages that is done in a dialog. */
function GroupHead({ group, isWhole, barred, onTick }: HeadProps) {
  const { t } = useTranslation('impact');
  const place = `${group.instance} · ${group.database}`;
  const open = group.rows.filter((row) => !row.is_intended);
  return (
    <tr className={classes.group}>
      <th scope="rowgroup" colSpan={6}>
        <span className={classes.groupLine}>
          <span>
            {group.route === null ? t('group.noRoute', { place }) : t('group.route', { route: group.route, place })}
          </span>
          {isWhole && open.length > 1 && (
            <GuardedButton
              barred={barred}
              size="compact-xs"
              variant="default"
              onClick={() => {
                onTick(open, true);
              }}
            >
              {group.route === null
                ? t('group.tickAll', { count: open.length })
                : t('group.tickRoute', { count: open.length })}
            </GuardedButton>
          )}
        </span>
      </th>
    </tr>
  );
}

type TickProps = { row: DraftFlow; barred: string | null; asked: boolean | null; isBusy: boolean; onTick: OnTick };

/** What is being said of a flow in this moment, so that its box shows it at once; null for nothing. */
function askedOf(intend: ReturnType<typeof useIntend>, row: DraftFlow): boolean | null {
  return intend.isPending && intend.variables.keys.includes(row.key) ? intend.variables.intended : null;
}

function Tick({ row, barred, asked, isBusy, onTick }: TickProps) {
  const { t } = useTranslation('impact');
  const { service, to_service: to } = row.question;
  return (
    <td>
      <Checkbox
        size="xs"
        checked={asked ?? row.is_intended}
        disabled={barred !== null || isBusy}
        title={barred ?? undefined}
        aria-label={t('intend', { service, to })}
        description={
          row.intended_by === null
            ? undefined
            : t('by', { name: authorText(row.intended_by.author === '' ? null : row.intended_by.author) })
        }
        onChange={(event) => {
          onTick([row], event.currentTarget.checked);
        }}
      />
    </td>
  );
}

type LineProps = { estate: string; draft: number; row: DraftFlow; children?: React.ReactNode };

function FlowLine({ estate, draft, row, children }: LineProps) {
  const { t } = useTranslation('impact');
  const { service, to_service: to } = row.question;
  return (
    <tr>
      {children}
      <th scope="row">
        <FlowName flow={row.question} />
      </th>
      <td>
        <span className={classes.turn}>
          <End disposition={row.before} number={row.before_number} />
          <IconArrowNarrowRight size={16} role="img" aria-label={t('becomes')} className={classes.arrow} />
          <End disposition={row.after} number={row.after_number} />
        </span>
      </td>
      <td>
        <RouteTurn before={row.before_route} after={row.after_route} />
      </td>
      <td>{row.is_observed ? t('seen') : <span className={classes.quiet}>{t('possible')}</span>}</td>
      <td>
        <Link to={whatIfAddress(estate, row.question, { draft })} aria-label={t('askNamed', { service, to })}>
          {t('ask')}
        </Link>
      </td>
    </tr>
  );
}

/** How a flow ends, with the number of the reason; nobody to ask is no end at all. */
function End({ disposition, number }: { disposition: DraftFlow['before']; number: number | null }) {
  const { t } = useTranslation('impact');
  if (disposition === null) {
    return <span className={classes.quiet}>{t('noSender')}</span>;
  }
  return (
    <span className={classes.end}>
      <DispositionSign disposition={disposition} number={number} />
      {number !== null && <span className={classes.number}>{number}</span>}
    </span>
  );
}

function RouteTurn({ before, after }: { before: string | null; after: string | null }) {
  const { t } = useTranslation('impact');
  const name = (route: string | null) =>
    route === null ? (
      <span className={classes.quiet}>{t('noRoute')}</span>
    ) : (
      <span className={classes.route}>{route}</span>
    );
  if (before === after) {
    return name(before);
  }
  return (
    <span className={classes.turn}>
      {name(before)}
      <IconArrowNarrowRight size={16} role="img" aria-label={t('becomes')} className={classes.arrow} />
      {name(after)}
    </span>
  );
}
