import { Panel } from '@xyflow/react';
import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { useFlowStore } from '@/lib/flow-store';
import { ageBands } from '@/live/ladder/figures';

import { flowWords, roundedRate } from '../flow-words';
import type { CanvasEdge } from '../flow-elements';
import { useToldLegend } from '../hooks/use-told-legend';
import { flowOfLine } from '../line-flows';
import classes from './live-legend.module.css';

const verdicts = ['delivered', 'delayed', 'lost', 'unknown'] as const;

/**
 * How to read the live overlay: the scale with the largest rate there is now, the colours, the rings; and what is
 * selected in words.
 */
export function LiveLegend({ edges, covered }: { edges: readonly CanvasEdge[]; covered: number }) {
  const { t } = useTranslation('overlay');
  const store = useFlowStore();
  const lines = useToldLegend();
  if (store.flows === null) {
    return null;
  }
  const selected = edges.find(
    (edge) => edge.kind === 'route' && edge.isSelected && (edge.line.part === 'whole' || edge.line.part === 'stem'),
  );
  const { largest } = store;
  const scale =
    largest === null
      ? t('legend.unknown')
      : largest > 0
        ? t('legend.scale', { rate: roundedRate(largest) })
        : t('legend.still');
  return (
    <Panel position="top-right" style={covered > 0 ? { right: covered } : {}}>
      <section className={classes.legend} aria-label={t('legend.label')}>
        <div ref={lines} className={classes.lines}>
          <div className={classes.line}>
            <svg width="64" height="18" aria-hidden>
              <path d="M 2 9 L 62 2 V 16 Z" />
            </svg>
            <span>{scale}</span>
          </div>
          <p className={classes.caption} aria-hidden>
            {t('legend.verdicts')}
          </p>
          <ul className={classes.line} aria-label={t('legend.verdicts')}>
            {verdicts.map((verdict) => (
              <li key={verdict}>
                <VerdictIcon verdict={verdict} size={13} />
                {t(`verdict.${verdict}`)}
              </li>
            ))}
          </ul>
          <p className={classes.caption} aria-hidden>
            {t('legend.rings')}
          </p>
          <ul className={classes.line} aria-label={t('legend.rings')}>
            {ageBands.map((band) => (
              <li key={band}>
                <span className={classes.ring} data-age={band} aria-hidden />
                {t(`band.${band}`)}
              </li>
            ))}
          </ul>
        </div>
        {selected !== undefined && <p className={classes.selected}>{flowWords(flowOfLine(store, selected.line))}</p>}
      </section>
    </Panel>
  );
}
