import { Skeleton, useComputedColorScheme } from '@mantine/core';
import type { ECharts, EChartsCoreOption, ECElementEvent } from 'echarts/core';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { chartTheme, type ChartTheme } from '../options/theme';
import classes from './charts.module.css';

export type Picked = Pick<ECElementEvent, 'name' | 'dataIndex' | 'seriesIndex' | 'dataType' | 'data'>;

type Props = {
  /** What it shows, for who does not see it; the table beside it has every figure. */
  label: string;
  option: (theme: ChartTheme) => EChartsCoreOption;
  height: number;
  onPick?: ((picked: Picked) => void) | undefined;
};

/** A chart that ECharts draws, in the colours of the theme; the library is fetched when the first one is shown. */
export function EChart({ label, option, height, onPick }: Props) {
  const { t } = useTranslation('analytics');
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);
  const [chart, setChart] = useState<ECharts | null>(null);
  const [isMissing, setMissing] = useState(false);
  const picked = useRef(onPick);
  const scheme = useComputedColorScheme('light');
  const made = useMemo(() => option(chartTheme(scheme)), [option, scheme]);
  useEffect(() => {
    picked.current = onPick;
  });
  useEffect(() => {
    if (frame === null) {
      return undefined;
    }
    let isOver = false;
    let drawn: ECharts | null = null;
    import('./echarts').then(
      ({ init }) => {
        if (!isOver) {
          drawn = init(frame, null, { renderer: 'svg' });
          drawn.on('click', (event) => {
            picked.current?.(event);
          });
          setChart(drawn);
        }
      },
      () => {
        setMissing(!isOver);
      },
    );
    const sized = new ResizeObserver(() => {
      drawn?.resize();
    });
    sized.observe(frame);
    return () => {
      isOver = true;
      sized.disconnect();
      drawn?.dispose();
      setChart(null);
    };
  }, [frame]);
  useEffect(() => {
    chart?.resize();
    chart?.setOption(made, { notMerge: true });
  }, [chart, made, height]);
  if (isMissing) {
    return <p role="alert">{t('chart.missing')}</p>;
  }
  return (
    <div className={classes.frame} style={{ height }}>
      {chart === null && <Skeleton height={height} aria-hidden className={classes.over} />}
      <div ref={setFrame} role="img" aria-label={label} className={classes.drawing} data-drawn={chart !== null} />
    </div>
  );
}
