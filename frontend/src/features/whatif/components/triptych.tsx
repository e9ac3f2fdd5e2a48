import { Button, Skeleton, UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { verdictOfDisposition } from '@/components/what-if/words';
import type { Estate, WhatIf, WhatIfTriptych } from '@/contracts/api';
import { useParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { formatFaults } from '@/topology/faults';

import { triptychQuery } from '../api/triptych-read';
import { basisOf, questionOf, useAsk, type Asked } from '../use-question';
import { answerWord } from '../words';
import classes from './triptych.module.css';

type Props = { estate: Estate; asked: Asked; whatIf: WhatIf };

/** Where a mirrored route is on the way: the same question for each state of the pair. */
export function Triptych({ estate, asked, whatIf }: Props) {
  const { t } = useTranslation('trace');
  const [shown, setShown] = useParameter('pair');
  const isOpen = shown === 'open';
  const isMirrored = whatIf.answer.legs.some(({ ways }) =>
    ways.some(({ hops }) => hops.some(({ mirror_address: mirror }) => mirror !== null)),
  );
  if (!isMirrored) {
    return null;
  }
  return (
    <section className={classes.triptych} aria-labelledby="what-if-triptych">
      <div className={classes.head}>
        <h3 id="what-if-triptych">{t('triptych.heading')}</h3>
        <Button
          size="compact-xs"
          variant="default"
          aria-expanded={isOpen}
          onClick={() => {
            setShown(isOpen ? null : 'open');
          }}
        >
          {isOpen ? t('triptych.close') : t('triptych.open')}
        </Button>
      </div>
      {isOpen && <Columns estate={estate} asked={asked} />}
    </section>
  );
}

function Columns({ estate, asked }: Omit<Props, 'whatIf'>) {
  const { t } = useTranslation('trace');
  const question = questionOf(asked);
  const { data, error, refetch } = useQuery({
    ...triptychQuery(
      estate.name,
      { question: question ?? { instance: '', database: '', service: '', to_service: '' }, ...basisOf(asked) },
      `${estate.state} ${estate.change_set?.sequence ?? ''}`,
    ),
    enabled: question !== null,
  });
  if (error !== null) {
    return <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  if (data === undefined) {
    return <Skeleton height={120} radius="sm" role="progressbar" aria-label={t('answer.asking')} />;
  }
  return (
    <div className={classes.columns}>
      {data.columns.map((column) => (
        <Column key={column.name} column={column} />
      ))}
    </div>
  );
}

/** One state: its end, and the address that is dialled in it. Choosing it asks with the failures that make it so. */
function Column({ column: { name, faults, answer, dialled } }: { column: WhatIfTriptych['columns'][number] }) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  const [first] = dialled;
  const way = answer.legs[0]?.ways[0];
  const hasArrived = way?.disposition === 'delivered' || way?.disposition === 'held-queue-off';
  return (
    <UnstyledButton
      className={classes.column}
      title={t('triptych.ask')}
      onClick={() => {
        ask({ faults: formatFaults(faults) || null, pair: 'open' });
      }}
    >
      <span className={classes.state}>{t(`triptych.${name}`)}</span>
      <span className={classes.end}>
        <VerdictIcon verdict={verdictOfDisposition(answer.disposition)} size={18} />
        <strong>{answerWord(answer)}</strong>
      </span>
      {hasArrived && (
        <span>
          {way.instance} · {way.database}
        </span>
      )}
      <span className={classes.dialled}>
        {first === undefined || answer.disposition === 'nobody-claims'
          ? t('triptych.dialledNone')
          : first.is_mirror_address
            ? t('triptych.dialledMirror', { address: first.address })
            : t('triptych.dialled', { address: first.address })}
      </span>
    </UnstyledButton>
  );
}
