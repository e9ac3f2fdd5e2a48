import { Skeleton, Switch, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useTypedParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import {
  faultKinds,
  faultPlace,
  faultText,
  hasFault,
  isFaultSought,
  type Fault,
  type FaultKind,
} from '@/topology/faults';

import type { FaultLab } from '../use-fault-lab';
import classes from './fault-lab.module.css';

/** Toggles that a group shows before it is asked for all. */
const shownAtOnce = 12;

type Props = { lab: FaultLab; failures: UseQueryResult<Fault[]> };

/** Everything that can fail, to be switched on and off, by kind. */
export function FaultPicker({ lab, failures: { data, error, refetch } }: Props) {
  const { t } = useTranslation('faults');
  const [sought, seek] = useTypedParameter('find');
  const found = (data ?? []).filter((fault) => isFaultSought(fault, sought));
  return (
    <aside className={classes.picker} aria-label={t('picker.label')}>
      <TextInput
        size="xs"
        leftSection={<IconSearch size={14} />}
        aria-label={t('picker.find')}
        placeholder={t('picker.find')}
        value={sought}
        onChange={(event) => {
          seek(event.currentTarget.value);
        }}
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton height={240} />
        ) : (
          <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
        )
      ) : found.length === 0 ? (
        <p className={classes.quiet}>{t(data.length === 0 ? 'picker.nothing' : 'picker.noMatch')}</p>
      ) : (
        faultKinds.map((kind) => (
          <Group key={kind} kind={kind} faults={found.filter((fault) => fault.kind === kind)} lab={lab} />
        ))
      )}
      {data !== undefined && <RoutesNote draft={lab.draft} />}
    </aside>
  );
}

/** Why there is no toggle for a route: it does not fail, it is dropped, and that is what a draft is for. */
function RoutesNote({ draft }: { draft: number | null }) {
  const { t } = useTranslation('faults');
  const { name: estate } = useEstatePage();
  return (
    <section className={classes.routes} aria-label={t('routes.heading')}>
      <h2>{t('routes.heading')}</h2>
      <p>{t('routes.about')}</p>
      <Link to={`/estates/${encodeURIComponent(estate)}/topology${draft === null ? '' : `?draft=${draft}`}`}>
        {t('routes.link')}
      </Link>
    </section>
  );
}

function Group({ kind, faults, lab }: { kind: FaultKind; faults: readonly Fault[]; lab: FaultLab }) {
  const { t } = useTranslation('faults');
  const [isWhole, showWhole] = useState(false);
  if (faults.length === 0) {
    return null;
  }
  const active = faults.filter((fault) => hasFault(lab.faults, fault)).length;
  const shown = isWhole ? faults : faults.slice(0, shownAtOnce);
  return (
    <fieldset className={classes.group}>
      <legend>
        {t(`kind.${kind}`)}
        <span className={classes.groupCount}>
          {active === 0
            ? t('picker.count', { count: faults.length })
            : t('picker.active', { active, count: faults.length })}
        </span>
      </legend>
      {shown.map((fault) => (
        <Switch
          key={faultText(fault)}
          size="xs"
          color="red"
          label={faultPlace(fault)}
          title={t(`does.${kind}`)}
          checked={hasFault(lab.faults, fault)}
          onChange={() => {
            lab.toggle(fault);
          }}
        />
      ))}
      {faults.length > shown.length && (
        <button
          type="button"
          className={classes.more}
          onClick={() => {
            showWhole(true);
          }}
        >
          {t('picker.more', { count: faults.length - shown.length })}
        </button>
      )}
    </fieldset>
  );
}
