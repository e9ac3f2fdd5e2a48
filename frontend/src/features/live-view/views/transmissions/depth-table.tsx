import { IconArrowDownRight, IconArrowRight, IconArrowUpRight } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { numberText } from '@/i18n';
import { ageText } from '@/live/age';
import type { Depth } from '@/live/grid/transmission-groups';
import { trendOf, type Trend } from '@/live/grid/trend';

import { Age } from '../../components/cells';
import { SourceAge, SourceWord } from '../../frame/source-words';
import type { ViewQuery } from '../../frame/use-view-query';
import classes from '../summary.module.css';
import { useSamples } from '../../frame/use-samples';

/** Each database in which something waits: how deep, since when, and whether it grows. */
export function DepthTable({
  depths,
  names,
  query,
}: {
  depths: readonly Depth[];
  /** Of all databases that answer. */ names: readonly string[];
  query: ViewQuery;
}) {
  const { t } = useTranslation('views');
  const figures = useMemo(() => {
    // A database that is not told of has nothing waiting, unless nobody knows.
    const known = depths.filter(({ source }) => source.state === 'known');
    return Object.fromEntries([
      ...names.map((name): [string, number] => [name, 0]),
      ...known.map(({ key, messages }): [string, number] => [key, messages]),
    ]);
  }, [depths, names]);
  const samples = useSamples(figures);
  return (
    <section className={classes.part} aria-label={t('transmissions.byDatabase')}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t('transmissions.database')}</th>
            <th scope="col" data-number className={classes.narrow}>
              {t('transmissions.depth')}
            </th>
            <th scope="col" data-number>
              {t('transmissions.held')}
            </th>
            <th scope="col" data-number className={classes.age}>
              {t('transmissions.oldest')}
            </th>
            <th scope="col" className={classes.wide}>
              {t('transmissions.trend')}
            </th>
          </tr>
        </thead>
        <tbody>
          {depths.map((depth) => {
            const isChosen = query.instance === depth.source.instance && query.database === depth.database;
            return (
              <tr key={depth.key} data-chosen={isChosen} data-old={depth.source.state !== 'known'}>
                <th scope="row">
                  <button
                    type="button"
                    aria-pressed={isChosen}
                    onClick={() => {
                      query.setPlace(isChosen ? null : depth.source.instance, isChosen ? null : depth.database);
                    }}
                  >
                    <span title={depth.key}>{depth.key}</span>
                  </button>
                </th>
                <td data-number>{numberText(depth.messages)}</td>
                <td data-number>{numberText(depth.blocked)}</td>
                <td data-number>
                  <Age at={depth.oldest} />
                </td>
                <td>
                  {depth.source.state === 'known' ? (
                    <TrendSign trend={trendOf(samples, depth.key)} />
                  ) : (
                    <>
                      <SourceWord source={depth.source} /> · <SourceAge source={depth.source} />
                    </>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Growing, shrinking or neither, in a sign and in words; in how long, on hover. */
function TrendSign({ trend }: { trend: Trend | null }) {
  const { t } = useTranslation('views');
  if (trend === null) {
    return <span className={classes.quiet}>{t('transmissions.trendUnknown')}</span>;
  }
  const way = trend.change > 0 ? 'growing' : trend.change < 0 ? 'shrinking' : 'level';
  const Sign = { growing: IconArrowUpRight, shrinking: IconArrowDownRight, level: IconArrowRight }[way];
  const change = Math.abs(trend.change);
  return (
    <span
      className={classes.trend}
      data-way={way}
      title={t(`transmissions.trendIn.${way}`, { change, age: ageText(trend.seconds) })}
    >
      <Sign size={14} aria-hidden />
      {t(`transmissions.${way}`, { change })}
    </span>
  );
}
