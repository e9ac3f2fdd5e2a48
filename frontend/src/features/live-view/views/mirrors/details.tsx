import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Fact, Facts, Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { partnerStates, reasonOf } from '@/live/grid/mirror-pairs';
import type { GridRow, Read } from '@/live/grid/rows';

import { Value } from '../../frame/value';
import { textOf } from '../common';
import classes from '../details.module.css';
import { PairState } from './looks';
import { PartnerWord } from './partner-word';

/** In the names of trace classes. */
const changes = 'Broker:Mirrored';

/** Both partners as this instance knows them, what their states mean, and where more is to be found. */
export function MirrorDetails({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const base = `/estates/${encodeURIComponent(useEstatePage().name)}/live`;
  const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const links = [
    { words: t('links.connections'), to: `connections?${query({ instance: row.instance })}` },
    {
      words: t('links.waiting'),
      to: `transmission-queues?${query({ instance: row.instance, text: textOf(row, read, 'service_name') })}`,
    },
    { words: t('links.roles'), to: `trace?${query({ instance: row.instance, text: changes })}` },
  ];
  return (
    <>
      <Section title={t('mirrors.whyTitle')} term="mirroring">
        <p className={classes.text}>
          <strong>{row.instance}</strong> {t(`mirrors.why.${reasonOf(row, read)}`)}
        </p>
        <Facts>
          <Fact label={t('ours.state')}>
            <PairState row={row} read={read} />
          </Fact>
          <Fact label={t('mirrors.since')}>
            <Value value={read(row, 'principal_since')} shape="instant" type="datetime" />
          </Fact>
          <Fact label={t('mirrors.changed')}>
            <Value value={read(row, 'changed_at')} shape="instant" type="datetime" />
          </Fact>
        </Facts>
      </Section>
      <Section title={t('mirrors.partners')}>
        <PartnerFacts row={row} read={read} side="address" />
        <PartnerFacts row={row} read={read} side="mirror_address" />
        <p className={classes.note}>{t('mirrors.noWitness')}</p>
      </Section>
      <Section title={t('conversations.seeAlso')}>
        <ul className={classes.links}>
          {links.map(({ words, to }) => (
            <li key={to}>
              <Link to={`${base}/${to}`}>{words}</Link>
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

function PartnerFacts({ row, read, side }: { row: GridRow; read: Read; side: 'address' | 'mirror_address' }) {
  const { t } = useTranslation('views');
  const told = read(row, `${side}_state`);
  const state = partnerStates.find((one) => one === told);
  return (
    <>
      <Facts>
        <Fact label={textOf(row, read, side)}>{state !== undefined && <PartnerWord state={state} />}</Fact>
      </Facts>
      {state !== undefined && <p className={classes.note}>{t(`mirrors.partner.${state}.meaning`)}</p>}
    </>
  );
}
