import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { FlowName } from '@/components/what-if/flow-name';
import { DispositionSign, LightSign } from '@/components/what-if/light-sign';
import type { WhatIfTriptych } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';
import { withoutPair, type PairState, type Partner } from '@/topology/pair-states';
import { whatIfAddress, type Flow } from '@/topology/what-if-address';

import { triptychQuery } from '../api/triptych-read';
import type { FaultLab } from '../use-fault-lab';
import classes from './pairs.module.css';

type Props = { lab: FaultLab; flow: Flow; partners: readonly Partner[]; active: PairState };

/** One flow as the pair stands: as it is, failed over, both partners down; the state that is supposed is marked. */
export function TriptychColumns({ lab, flow, partners, active }: Props) {
  const { t } = useTranslation('faults');
  const { name: estate } = useEstatePage();
  const others = { ...lab, faults: withoutPair(lab.faults, partners) };
  const { data, error, isPlaceholderData, refetch } = useQuery(triptychQuery(estate, others, flow));
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={180} role="progressbar" aria-label={t('pairs.asking')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  return (
    <div>
      <p className={classes.flow}>
        <FlowName flow={{ ...flow, broker_instance: flow.broker_instance ?? null }} characters={60} />
      </p>
      <ul className={classes.columns} data-stale={isPlaceholderData}>
        {data.columns.map((column) => (
          <li
            key={column.name}
            className={classes.column}
            data-active={column.name === active}
            aria-current={column.name === active}
          >
            <Column column={column} isActive={column.name === active} />
            <Link
              to={whatIfAddress(estate, flow, {
                draft: lab.draft,
                at: lab.at,
                faults: column.faults,
              })}
            >
              {t('pairs.ask')}
            </Link>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Column({
  column: { name, answer, dialled },
  isActive,
}: {
  column: WhatIfTriptych['columns'][number];
  isActive: boolean;
}) {
  const { t } = useTranslation(['faults', 'whatif']);
  const number = answer.legs[0]?.ways[0]?.number ?? null;
  return (
    <>
      <h3 className={classes.state}>
        {t(`pairs.state.${name}`)}
        {isActive && <span className={classes.now}>{t('pairs.now')}</span>}
      </h3>
      <span className={classes.end}>
        <DispositionSign disposition={answer.disposition} number={number?.number ?? null} />
        {number !== null && <span className={classes.number}>{number.number}</span>}
      </span>
      {dialled.map(({ instance, route, address, is_mirror_address: isMirror }) => (
        <p key={`${instance} ${route} ${address}`} className={classes.dialled}>
          {t('pairs.dials', { instance, route })}
          <code>{address}</code>
          <span className={classes.quiet}>{t(isMirror ? 'pairs.mirrorAddress' : 'pairs.address')}</span>
        </p>
      ))}
      {number !== null && (
        <p className={classes.reason}>
          {number.text}
          {number.why !== '' && <span className={classes.quiet}>{number.why}</span>}
        </p>
      )}
      <ul className={classes.legs} aria-label={t('pairs.legs')}>
        {answer.legs.map(({ kind, light }) => (
          <li key={kind}>
            <span>{t(`whatif:leg.${kind}.word`)}</span>
            <LightSign light={light} />
          </li>
        ))}
      </ul>
    </>
  );
}
