import { Button, CloseButton } from '@mantine/core';
import { Panel, ViewportPortal } from '@xyflow/react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { verdictOfChange } from '@/components/what-if/words';
import { numberText } from '@/i18n';
import { showHeat } from '@/lib/heat-store';
import type { Verdict } from '@/theme/tokens';
import { ids } from '@/topology/graph';
import {
  heatChanges,
  heatOf,
  heatShare,
  linkKey,
  stepOfLine,
  type Heat,
  type HeatChange,
  type ShownHeat,
  type Warmth,
} from '@/topology/heat';
import { roundedPath } from '@/topology/polyline';

import type { CanvasEdge, CanvasNode } from '../flow-elements';
import { useToldLegend } from '../hooks/use-told-legend';
import { useZoomLevel } from '../hooks/use-zoom-level';
import classes from './heat-layer.module.css';

const corner = 12;
const thinnest = 5;
const thickest = 20;
const iconSizes = { full: 16, card: 24, chip: 44 } as const;

type Props = { heat: ShownHeat; nodes: readonly CanvasNode[]; edges: readonly CanvasEdge[]; covered: number };

/** Where conversations change between two revisions: instances and lines in the colour of the gravest change. */
export function HeatLayer({ heat: shown, nodes, edges, covered }: Props) {
  const level = useZoomLevel();
  const heat = useMemo(() => heatOf(shown), [shown]);
  const boxes = new Map(nodes.map((node) => [node.id, node]));
  const warm = [...heat.places].flatMap(([name, warmth]) => {
    const node = boxes.get(ids.instance(name));
    return node === undefined ? [] : [{ name, warmth, node }];
  });
  return (
    <>
      <ViewportPortal>
        <svg className={classes.lines} aria-hidden>
          {linesOf(heat, boxes, edges).map(({ key, d, warmth, isGone }) => (
            <path
              key={key}
              d={d}
              className={classes.line}
              data-change={warmth.gravest}
              data-gone={isGone}
              style={{
                '--verdict': `var(--bw-verdict-${signOf(warmth.gravest)})`,
                strokeWidth: thinnest + (thickest - thinnest) * heatShare(warmth.all, heat.most),
              }}
            />
          ))}
        </svg>
        {warm.map(({ name, warmth, node }) => (
          <div
            key={name}
            aria-hidden
            className={classes.place}
            data-heat={name}
            data-change={warmth.gravest}
            style={{
              '--verdict': `var(--bw-verdict-${signOf(warmth.gravest)})`,
              '--heat': `${Math.round(8 + 16 * heatShare(warmth.all, heat.most))}%`,
              width: node.width,
              height: node.height,
              transform: `translate(${node.position.x}px, ${node.position.y}px)`,
            }}
          >
            <span className={classes.counts} data-level={level}>
              {heatChanges.flatMap((change) =>
                warmth.counts[change] === 0
                  ? []
                  : [
                      <span key={change}>
                        <VerdictIcon verdict={signOf(change)} size={iconSizes[level]} />
                        {numberText(warmth.counts[change])}
                      </span>,
                    ],
              )}
            </span>
          </div>
        ))}
      </ViewportPortal>
      <HeatLegend shown={shown} heat={heat} covered={covered} />
    </>
  );
}

/** The sign that stands for a change everywhere. */
function signOf(change: HeatChange): Verdict {
  return verdictOfChange(change) ?? 'unknown';
}

type Drawn = { key: string; d: string; warmth: Warmth; isGone: boolean };

/** Each step along the lines that lead that way; one without any, since its route is gone, straight from box to box. */
function linesOf(heat: Heat, boxes: ReadonlyMap<string, CanvasNode>, edges: readonly CanvasEdge[]): Drawn[] {
  const drawn = edges.flatMap((edge): (Drawn & { step: string })[] => {
    const step = stepOfLine(edge.line);
    const warmth = step === null ? undefined : heat.links.get(step);
    return step === null || warmth === undefined
      ? []
      : [{ key: edge.id, step, d: roundedPath(edge.points, corner), warmth, isGone: false }];
  });
  const known = new Set(drawn.map(({ step }) => step));
  const gone = [...heat.links.values()].flatMap((warmth): Drawn[] => {
    const key = linkKey(warmth.from, warmth.to);
    const [from, to] = [boxes.get(ids.instance(warmth.from)), boxes.get(ids.instance(warmth.to))];
    return known.has(key) || from === undefined || to === undefined
      ? []
      : [{ key, d: `M ${middle(from)} L ${middle(to)}`, warmth, isGone: true }];
  });
  return [...drawn, ...gone];
}

function middle({ position, width = 0, height = 0 }: CanvasNode): string {
  return `${position.x + width / 2} ${position.y + height / 2}`;
}

type LegendProps = { shown: ShownHeat; heat: Heat; covered: number };

/** What the colours mean, of which run they are, the numbers in words, and the switch that takes them off. */
function HeatLegend({ shown, heat, covered }: LegendProps) {
  const { t } = useTranslation(['overlay', 'whatif']);
  const lines = useToldLegend();
  const places = [...heat.places].sort(([, one], [, other]) => other.all - one.all);
  return (
    <Panel position="top-right" style={covered > 0 ? { right: covered } : {}}>
      <section className={classes.legend} aria-label={t('heat.label')}>
        <div ref={lines} className={classes.rows}>
          <header className={classes.head}>
            <strong>{t('heat.title')}</strong>
            <CloseButton
              size="sm"
              aria-label={t('heat.off')}
              onClick={() => {
                showHeat(null);
              }}
            />
          </header>
          <Link
            className={classes.run}
            to={`/estates/${encodeURIComponent(shown.estate)}/analytics/runs/${encodeURIComponent(shown.run)}`}
          >
            {shown.title}
          </Link>
          <ul className={classes.keys} aria-label={t('heat.keys')}>
            {heatChanges.map((change) => (
              <li key={change}>
                <VerdictIcon verdict={signOf(change)} size={14} />
                {t(`whatif:change.${change}.word`)}
              </li>
            ))}
          </ul>
          <p className={classes.about}>
            {heat.places.size === 0 ? t('heat.nothing') : t('heat.about', { most: heat.most })}
          </p>
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => {
              showHeat(null);
            }}
          >
            {t('heat.off')}
          </Button>
        </div>
        <ul className={classes.told} aria-label={t('heat.places')}>
          {places.map(([name, { counts }]) => (
            <li key={name}>{t('heat.place', { name, ...counts })}</li>
          ))}
        </ul>
      </section>
    </Panel>
  );
}
