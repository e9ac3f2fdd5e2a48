import { Button, Group, Select } from '@mantine/core';
import { IconPower, IconSwitchHorizontal } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { EmptyState } from '@/components/ui/empty-state';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { flowsToPair, type MirroredPair } from '@/topology/mirrored-flows';
import { isDown, pairStateOf, partnersOf, withPairState, type PairState, type Partner } from '@/topology/pair-states';

import type { FaultLab } from '../use-fault-lab';
import classes from './pairs.module.css';
import { TriptychColumns } from './triptych-columns';

/** Mirrored pairs: who is the principal under what is supposed, and what becomes of a flow in each state of the pair. */
export function PairPanel({ lab }: { lab: FaultLab }) {
  const { t } = useTranslation('faults');
  const { mirrors } = useEstatePage();
  if (mirrors.length === 0) {
    return <EmptyState>{t('pairs.none')}</EmptyState>;
  }
  return (
    <div className={classes.pairs}>
      {mirrors.map((pair) => (
        <PairCard key={`${pair.broker_instance} ${pair.instances.join(' ')}`} lab={lab} pair={pair} />
      ))}
    </div>
  );
}

function PairCard({ lab, pair }: { lab: FaultLab; pair: MirroredPair }) {
  const { t } = useTranslation('faults');
  const estate = useEstatePage();
  const partners = partnersOf(estate, pair);
  const state = pairStateOf(lab.faults, partners);
  const flows = flowsToPair(estate, pair);
  const [chosen, choose] = useParameter('flow');
  const labels = flows.map(
    ({ instance, database, service, to_service: to }) => `${instance} · ${database}: ${service} → ${to}`,
  );
  const index = Math.max(0, labels.indexOf(chosen ?? ''));
  const flow = flows[index];
  const turn = (wanted: PairState) => {
    lab.setFaults(withPairState(lab.faults, partners, state === wanted ? 'as-is' : wanted));
  };
  return (
    <section className={classes.pair} aria-label={t('pairs.label', { database: pair.database })}>
      <header className={classes.head}>
        <h2 className={classes.name}>{pair.database}</h2>
        {partners.map((partner) => (
          <Role
            key={partner.instance}
            partner={partner}
            isOver={state === 'failed-over'}
            isOff={isDown(lab.faults, partner)}
          />
        ))}
        <Group gap={8} ml="auto">
          <Button
            size="xs"
            variant={state === 'failed-over' ? 'filled' : 'default'}
            aria-pressed={state === 'failed-over'}
            leftSection={<IconSwitchHorizontal size={15} />}
            onClick={() => {
              turn('failed-over');
            }}
          >
            {t(state === 'failed-over' ? 'pairs.failBack' : 'pairs.failOver')}
          </Button>
          <Button
            size="xs"
            variant={state === 'both-down' ? 'filled' : 'default'}
            aria-pressed={state === 'both-down'}
            leftSection={<IconPower size={15} />}
            onClick={() => {
              turn('both-down');
            }}
          >
            {t(state === 'both-down' ? 'pairs.bothUp' : 'pairs.bothDown')}
          </Button>
        </Group>
      </header>
      {flow === undefined ? (
        <p className={classes.quiet}>{t('pairs.noFlow')}</p>
      ) : (
        <>
          {flows.length > 1 && (
            <Select
              size="xs"
              allowDeselect={false}
              searchable
              label={t('pairs.flow')}
              data={labels}
              value={labels[index] ?? null}
              onChange={choose}
            />
          )}
          <TriptychColumns lab={lab} flow={flow} partners={partners} active={state} />
        </>
      )}
    </section>
  );
}

/** Who a partner is under what is supposed: P, M, or off. */
function Role({ partner, isOver, isOff }: { partner: Partner; isOver: boolean; isOff: boolean }) {
  const { t } = useTranslation('faults');
  const isMirror = partner.isMirror !== isOver;
  return (
    <span className={classes.role} data-off={isOff}>
      <span className={classes.instance}>{partner.instance}</span>
      {isOff ? (
        <Badge verdict="lost">{t('pairs.off')}</Badge>
      ) : (
        <Badge verdict={isMirror ? 'mirror' : 'delivered'}>{t(isMirror ? 'pairs.mirror' : 'pairs.principal')}</Badge>
      )}
    </span>
  );
}
