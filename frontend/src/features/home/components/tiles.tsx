import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useInstancesNow } from '@/hooks/use-now';
import { numberText } from '@/i18n';
import { findingCountsQuery } from '@/lib/api/findings-read';
import type { Source } from '@/live/grid/sources';
import { ageBands, type Figures } from '@/live/ladder/figures';
import type { Verdict } from '@/theme/tokens';
import { expiryOf } from '@/topology/expiry';

import { assertionsSummaryQuery } from '../api/assertions-summary';
import { estatePath } from '../links';
import classes from './tiles.module.css';

type Props = { figures: Figures | null; unknown: readonly Source[]; isReading: boolean };

/** The figures that are looked at first; each leads to the rows that it counts. */
export function Tiles({ figures, unknown, isReading }: Props) {
  const { t } = useTranslation('home');
  const { name } = useEstatePage();
  const live = (read: (known: Figures) => number) => ({
    value: figures === null ? null : read(figures),
    unknown,
    isReading,
  });
  return (
    <ul className={classes.tiles}>
      <Tile
        {...live(({ undelivered }) => undelivered)}
        label={t('tiles.undelivered')}
        to={estatePath(name, 'live/transmission-queues')}
        note={t('tiles.undeliveredNote')}
        tone={(value) =>
          value > 0 && figures !== null && figures.byAge.hour + figures.byAge.longer > 0 ? 'delayed' : null
        }
        isWide
      >
        {figures !== null && <AgeBands byAge={figures.byAge} />}
      </Tile>
      <Tile
        {...live(({ disabledQueues }) => disabledQueues)}
        label={t('tiles.queues')}
        to={estatePath(name, 'live/queues')}
        note={t('tiles.poisoned', { count: figures?.poisonedQueues ?? 0 })}
        tone={alarm('lost')}
      />
      <Tile
        {...live(({ overdue }) => overdue)}
        label={t('tiles.closed')}
        to={estatePath(name, 'live/conversations', { closed: 'overdue' })}
        note={t('tiles.leaked', { count: figures?.leaked ?? 0 })}
        tone={alarm('delayed')}
      />
      <Tile
        {...live(({ mirrorsLost }) => mirrorsLost)}
        label={t('tiles.mirrors')}
        to={estatePath(name, 'live/mirrors')}
        note={t('tiles.ofMirrors', { count: figures?.mirrors ?? 0 })}
        tone={alarm('lost')}
      />
      <ExpiringTile />
      <FindingsTile />
      <AssertionsTile />
    </ul>
  );
}

const alarm = (verdict: Verdict) => (value: number) => (value > 0 ? verdict : null);
const nobody: readonly Source[] = [];

function ExpiringTile() {
  const { t } = useTranslation('home');
  const estate = useEstatePage();
  const minute = Math.floor(useInstancesNow() / 60_000);
  const { soon, expired } = useMemo(() => expiryOf(estate, minute * 60_000), [estate, minute]);
  return (
    <Tile
      value={soon.length}
      unknown={nobody}
      isReading={false}
      label={t('tiles.expiring')}
      to={estatePath(estate.name, 'objects/route', { sort: 'expires' })}
      note={t('tiles.expired', { count: expired })}
      tone={alarm('delayed')}
    />
  );
}

function FindingsTile() {
  const { t } = useTranslation('home');
  const { name, revision, change_set: draft } = useEstatePage();
  const { data, isPending } = useQuery(findingCountsQuery(name, revision, draft));
  return (
    <Tile
      value={data === undefined ? null : data.errors + data.warnings + data.infos}
      unknown={nobody}
      isReading={isPending}
      label={t('tiles.findings')}
      to={estatePath(name, 'findings')}
      note={data === undefined ? '' : t('tiles.severities', { errors: data.errors, warnings: data.warnings })}
      tone={() =>
        data !== undefined && data.errors > 0 ? 'lost' : data !== undefined && data.warnings > 0 ? 'delayed' : null
      }
    />
  );
}

/** None, not known and 0 are three things: nobody asserts anything, nobody has asked, and all of it holds. */
function AssertionsTile() {
  const { t } = useTranslation('home');
  const { name } = useEstatePage();
  const { data, isPending } = useQuery(assertionsSummaryQuery(name));
  const { failed = 0, passed = 0, never_run: never = 0 } = data?.counts ?? {};
  const enabled = failed + passed + never;
  const isNone = data !== undefined && enabled === 0;
  const isUnknown = data === undefined || (failed === 0 && never > 0);
  return (
    <Tile
      value={isUnknown ? null : failed}
      instead={isNone ? t('tiles.assertionsNone') : undefined}
      unknown={nobody}
      isReading={isPending}
      label={t('tiles.assertions')}
      to={estatePath(name, 'assertions')}
      note={
        isNone
          ? t('tiles.assertionsNothing')
          : never > 0
            ? t('tiles.assertionsNever', { count: never })
            : t('tiles.assertionsOf', { count: enabled })
      }
      tone={alarm('lost')}
    />
  );
}

type TileProps = {
  label: string;
  to: string;
  /** Null when nobody has told. */
  value: number | null;
  /** What stands there in place of 0, where there is nothing to count. */
  instead?: string | undefined;
  /** Whom the value leaves out. */
  unknown: readonly Source[];
  isReading: boolean;
  note: string;
  tone: (value: number) => Verdict | null;
  isWide?: boolean;
  children?: ReactNode;
};

function Tile({ label, to, value, instead, unknown, isReading, note, tone, isWide = false, children }: TileProps) {
  const { t } = useTranslation('home');
  const verdict = value === null ? 'unknown' : tone(value);
  const isForbidden = unknown.length > 0 && unknown.every(({ state }) => state === 'not-allowed');
  const names = unknown.map(({ instance }) => instance).join(', ');
  const without =
    unknown.length > 2 ? t('tiles.withoutMany', { count: unknown.length }) : t('tiles.without', { names });
  return (
    <li data-wide={isWide}>
      <Link to={to} className={classes.tile ?? ''}>
        <span className={classes.label}>{label}</span>
        {isReading ? (
          <Skeleton height={28} width={64} aria-label={t('tiles.reading')} />
        ) : (
          <strong className={classes.value} data-unknown={value === null}>
            {verdict !== null && <VerdictIcon verdict={verdict} size={18} />}
            {instead ?? (value === null ? t(isForbidden ? 'verdict.not-allowed' : 'tiles.unknown') : numberText(value))}
          </strong>
        )}
        {!isReading && value !== null && children}
        <span className={classes.note} title={names === '' ? undefined : names}>
          {value === null || unknown.length === 0 ? (value === null ? '' : note) : `${note} · ${without}`}
        </span>
      </Link>
    </li>
  );
}

/** How the messages are spread over the ages, as a bar and in numbers. */
function AgeBands({ byAge }: Pick<Figures, 'byAge'>) {
  const { t } = useTranslation('home');
  return (
    <span className={classes.bands}>
      <span className={classes.bar} aria-hidden>
        {ageBands
          .filter((band) => byAge[band] > 0)
          .map((band) => (
            <span key={band} data-band={band} style={{ flexGrow: byAge[band] }} />
          ))}
      </span>
      <span className={classes.keys}>
        {ageBands.map((band) => (
          <span key={band} title={t('tiles.bandLabel', { count: byAge[band], band })}>
            <span className={classes.key} data-band={band} aria-hidden /> {t(`tiles.band.${band}`)}{' '}
            <b>{numberText(byAge[band])}</b>
          </span>
        ))}
      </span>
    </span>
  );
}
