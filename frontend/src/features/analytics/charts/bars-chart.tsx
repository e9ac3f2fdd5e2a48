import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { barsHeight, barsOption, isFarApart, type Bar } from '../options/bars';
import type { ChartTheme } from '../options/theme';
import classes from './charts.module.css';
import { EChart, type Picked } from './echart';

type Props = {
  label: string;
  bars: readonly Bar[];
  /** What each bar of a line counts. */
  sets: readonly string[];
  /** A figure of each of them with its unit, where there are several. */
  texts?: readonly ((figure: number) => string)[];
  onPick?: (picked: Picked) => void;
};

const plain: readonly never[] = [];

/** Bars that lie; where their lengths are logarithms, it is said. */
export function BarsChart({ label, bars, sets, texts = plain, onPick }: Props) {
  const { t } = useTranslation('analytics');
  const option = useMemo(() => (theme: ChartTheme) => barsOption(bars, sets, theme, texts), [bars, sets, texts]);
  return (
    <div>
      <EChart label={label} option={option} height={barsHeight(bars.length, sets.length)} onPick={onPick} />
      {isFarApart(bars) && <p className={classes.note}>{t('chart.logarithmic')}</p>}
    </div>
  );
}
