import { Button, Skeleton, VisuallyHidden } from '@mantine/core';
import { useEffect, useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { PinAssertion } from '@/components/assertions/pin-assertion';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { BasisChip, type ShownBasis } from '@/components/what-if/basis-chip';
import { WhatIfRooms } from '@/components/what-if/rooms';
import type { Estate, WhatIf } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useSandbox } from '@/hooks/use-sandbox';
import { useParameter } from '@/hooks/use-view-state';
import { showPath } from '@/lib/path-store';
import { rememberQuestion } from '@/lib/what-if-memory';
import { faultLabAddress } from '@/topology/what-if-address';
import { start, within, type Position } from '@/topology/what-if-steps';

import { shownPath } from '../shown-path';
import { useAnswer, useUpdated, type Answered } from '../use-answer';
import { isBrokerId, questionOf, useAsked, usePosition, type Asked } from '../use-question';
import { Comparison } from './comparison';
import { Examples } from './examples';
import { LegDetails } from './leg-details';
import { LegStrip } from './leg-strip';
import { NearNames } from './near-names';
import { Player } from './player';
import { QuestionBar } from './question-bar';
import { CopyLink, CopyTicket, LinkNotice } from './share';
import { Triptych } from './triptych';
import { VerdictHead } from './verdict';
import classes from './what-if-panel.module.css';

/** A question and its answer; `map` is drawn beside it, with the way in it. */
export function WhatIfPanel({ map }: { map: ReactNode }) {
  const { t, i18n } = useTranslation('trace');
  const estate = useEstatePage();
  const sandbox = useSandbox();
  const asked = useAsked();
  const answered = useAnswer(estate, asked);
  const [position, move] = usePosition();
  const [whyText, setWhy] = useParameter('why');
  const { whatIf } = answered;
  const shown = whatIf === null ? start : within(whatIf.answer, position);
  const { leg, way, hop, stage } = shown;
  const why = whyText === null ? null : Number(whyText);
  const path = useMemo(
    () => (whatIf === null ? null : shownPath(whatIf.answer, { leg, way, hop, stage }, why)),
    // The words of the flag are those of the language.
    // eslint-disable-next-line react-hooks/exhaustive-deps
    [whatIf, leg, way, hop, stage, why, i18n.language],
  );
  useEffect(() => {
    showPath(path);
    return () => {
      showPath(null);
    };
  }, [path]);
  useRemember(estate.name, asked);
  return (
    <div className={classes.page}>
      <header className={classes.head}>
        <VisuallyHidden component="h1">{t('heading')}</VisuallyHidden>
        {sandbox === null && <WhatIfRooms />}
        <QuestionBar estate={estate} asked={asked} />
      </header>
      <div className={classes.body}>
        {/* It scrolls, so it must be reachable by keyboard. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <section className={classes.answer} aria-label={t('answer.label')} tabIndex={0}>
          {!isBrokerId(asked.id) ? (
            <EmptyState>{t('ask.idMalformed')}</EmptyState>
          ) : questionOf(asked) === null ? (
            <Examples estate={estate} asked={asked} />
          ) : (
            <AnswerPart
              estate={estate}
              asked={asked}
              answered={answered}
              position={shown}
              why={why}
              onMove={move}
              onWhy={(at) => {
                setWhy(at === null ? null : String(at));
              }}
            />
          )}
        </section>
        <div className={classes.map}>
          <div className={classes.drawing}>
            {map}
            {whatIf !== null && <OtherState estate={estate} asked={asked} whatIf={whatIf} />}
          </div>
          {whatIf !== null && <Player answer={whatIf.answer} position={shown} onMove={move} />}
        </div>
      </div>
    </div>
  );
}

/** Another page and back asks the same again. */
function useRemember(estate: string, asked: Asked): void {
  const question = JSON.stringify(questionOf(asked));
  useEffect(() => {
    const parsed = JSON.parse(question) as ReturnType<typeof questionOf>;
    if (parsed !== null) {
      rememberQuestion(estate, parsed);
    }
  }, [estate, question]);
}

type PartProps = {
  estate: Estate;
  asked: Asked;
  answered: Answered;
  position: Position;
  why: number | null;
  onMove: (position: Position) => void;
  onWhy: (hop: number | null) => void;
};

function AnswerPart({ estate, asked, answered, position, why, onMove, onWhy }: PartProps) {
  const { t } = useTranslation(['trace', 'whatif']);
  const [, setSide] = useParameter('side');
  const sandbox = useSandbox();
  const { whatIf, comparison, side, isOutdated, isAsking, problem, retry } = answered;
  const updated = useUpdated(JSON.stringify([questionOf(asked), asked.draft, side]), whatIf, isOutdated);
  if (problem !== null && whatIf === null) {
    return <ProblemPanel problem={problem} onRetry={retry} />;
  }
  if (whatIf === null) {
    return isAsking ? <Skeleton height={220} radius="sm" role="progressbar" aria-label={t('answer.asking')} /> : null;
  }
  return (
    <div className={classes.outdated} data-outdated={isOutdated} aria-busy={isOutdated}>
      {problem !== null && <ProblemPanel problem={problem} onRetry={retry} />}
      {!isOutdated && <LinkNotice whatIf={whatIf} />}
      {updated.isUpdated && <Updated onSee={updated.see} />}
      <div className={classes.basisLine}>
        <BasisChip basis={shownBasis(whatIf, asked, estate)} />
        <span className={classes.copies}>
          <CopyTicket estate={estate.name} whatIf={whatIf} />
          <CopyLink estate={estate.name} whatIf={whatIf} />
          {sandbox === null && (
            <PinAssertion
              estate={estate.name}
              pinned={{
                question: whatIf.answer.question,
                faults: whatIf.answer.faults,
                at: asked.at,
                draft: whatIf.basis.change_set,
                revision: asked.revision,
              }}
            />
          )}
        </span>
      </div>
      {comparison !== null && (
        <Comparison
          comparison={comparison}
          titles={{
            before: t('whatif:basis.revision', { revision: comparison.before?.basis.revision ?? estate.revision }),
            after: t('whatif:basis.draft', { number: asked.draft ?? 0 }),
          }}
          shown={side}
          onShow={(chosen) => {
            setSide(chosen === 'after' ? null : chosen);
          }}
        />
      )}
      <VerdictHead answer={whatIf.answer} />
      <NearNames service={whatIf.answer.question.to_service} names={whatIf.near_misses} />
      <LegStrip
        answer={whatIf.answer}
        shown={position.leg}
        onShow={(leg) => {
          onMove({ ...start, leg });
        }}
      />
      {sandbox === null && <Depends estate={estate} whatIf={whatIf} />}
      <Triptych estate={estate} asked={asked} whatIf={whatIf} />
      <LegDetails
        estate={estate}
        answer={whatIf.answer}
        isMisspelled={whatIf.near_misses.length > 0}
        lines={whatIf.lines}
        position={position}
        why={why}
        onMove={onMove}
        onWhy={onWhy}
      />
    </div>
  );
}

/** The way to the fault lab with this flow; it asks of what is live or of a draft, not of the past. */
function Depends({ estate, whatIf: { answer, basis } }: { estate: Estate; whatIf: WhatIf }) {
  const { t } = useTranslation('trace');
  const [parameters] = useSearchParams();
  if (basis.change_set === null && basis.revision !== estate.revision) {
    return null;
  }
  const to = faultLabAddress(estate.name, answer.question, {
    draft: basis.change_set,
    at: parameters.get('at'),
    faults: answer.faults,
  });
  return (
    <Link to={to} className={classes.depends} title={t('answer.dependsAbout')}>
      {t('answer.depends')}
    </Link>
  );
}

/** The map is that of the page: where the answer is about another state, a route of it need not be drawn. */
function OtherState({ estate, asked, whatIf }: { estate: Estate; asked: Asked; whatIf: WhatIf }) {
  const { t } = useTranslation(['trace', 'whatif']);
  const { change_set: draft, revision } = whatIf.basis;
  if (asked.draft === draft && (draft !== null || revision === estate.revision)) {
    return null;
  }
  const words = (number: number | null, of: number) =>
    number === null ? t('whatif:basis.revision', { revision: of }) : t('whatif:basis.draft', { number });
  return (
    <p className={classes.otherState} role="status">
      {t('canvas.otherState', { shown: words(asked.draft, estate.revision), asked: words(draft, revision) })}
    </p>
  );
}

function Updated({ onSee }: { onSee: () => void }) {
  const { t } = useTranslation('trace');
  return (
    <div role="status" className={classes.caution} data-tone="forwarded">
      <VerdictIcon verdict="forwarded" size={16} />
      <span>
        <strong>{t('answer.updated')}</strong> {t('answer.updatedAbout')}
      </span>
      <Button size="compact-xs" variant="default" onClick={onSee}>
        {t('answer.seen')}
      </Button>
    </div>
  );
}

/** What the answer on view is about; of a live answer as well, nothing is left to be guessed. */
function shownBasis({ basis, answer }: WhatIf, asked: Asked, estate: Estate): ShownBasis {
  return {
    revision: basis.revision,
    draft: basis.change_set,
    isLive: basis.change_set === null && asked.revision === null && basis.revision === estate.revision,
    at: basis.is_now ? null : Date.parse(basis.at),
    faults: answer.faults,
  };
}
