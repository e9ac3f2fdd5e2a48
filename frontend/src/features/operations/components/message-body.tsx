import { SegmentedControl } from '@mantine/core';
import { useMutation, type UseMutationResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import { GuardedButton } from '@/components/ui/guarded-button';
import type { TransmissionBody } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { numberText } from '@/i18n';
import { asProblem } from '@/lib/errors';

import { readBody } from '../api/transmission-body-read';
import { hexLines } from '../hex-lines';
import type { MessagePath } from '../row-paths';
import classes from './actions.module.css';

type Reading = UseMutationResult<TransmissionBody, Error, void>;

/** Reading the body of a message that waits: done when it is asked for, since the log notes who reads it. */
export function useBody(path: MessagePath): Reading {
  const estate = useEstatePage();
  return useMutation({ mutationFn: () => readBody(estate.name, path) });
}

/** For who may read payloads. */
export function BodyButton({ reading }: { reading: Reading }) {
  const { t } = useTranslation('operations');
  const missing = useMissingRight('read-payloads');
  return (
    <GuardedButton
      barred={missing}
      size="compact-sm"
      variant="default"
      loading={reading.isPending}
      onClick={() => {
        reading.mutate();
      }}
    >
      {t('body.open')}
    </GuardedButton>
  );
}

/** What was read, or why not; nothing before. It goes with the right, and with the session, by which it was read. */
export function MessageBody({ reading }: { reading: Reading }) {
  const { t } = useTranslation('operations');
  const missing = useMissingRight('read-payloads');
  const [wasTaken, take] = useState(false);
  const { data, reset } = reading;
  const isTaken = missing !== null && data !== undefined;
  if (isTaken && !wasTaken) {
    take(true);
  }
  useEffect(() => {
    if (isTaken) {
      reset();
    }
  }, [isTaken, reset]);
  if (missing !== null && wasTaken) {
    return (
      <Section title={t('body.heading')}>
        <p role="status" className={classes.note}>
          {missing}
        </p>
      </Section>
    );
  }
  if (data !== undefined) {
    return (
      <Section title={t('body.heading')}>
        <Body told={data} />
        <p className={classes.note}>{t('body.noted')}</p>
      </Section>
    );
  }
  return reading.isError ? (
    <Section title={t('body.heading')}>
      <ProblemPanel problem={asProblem(reading.error)} />
    </Section>
  ) : null;
}

function Body({ told }: { told: TransmissionBody }) {
  const { t } = useTranslation('operations');
  const { text, encoding } = told;
  const [shows, show] = useState<'text' | 'hex'>(text === null ? 'hex' : 'text');
  if (!told.has_body) {
    return <p className={classes.note}>{t('body.none')}</p>;
  }
  const isCut = told.shown_bytes < told.whole_bytes;
  return (
    <>
      <SegmentedControl
        size="xs"
        aria-label={t('body.as')}
        value={shows}
        onChange={(value) => {
          show(value === 'text' ? 'text' : 'hex');
        }}
        data={[
          {
            value: 'text',
            label: encoding === null ? t('body.text') : t('body.textOf', { encoding: encoding.toUpperCase() }),
            disabled: text === null,
          },
          { value: 'hex', label: t('body.hex') },
        ]}
      />
      <p className={classes.note}>
        {isCut
          ? t('body.cut', {
              shown: numberText(told.shown_bytes),
              whole: numberText(told.whole_bytes),
              most: numberText(told.limit_bytes),
            })
          : t('body.whole', { whole: numberText(told.whole_bytes), most: numberText(told.limit_bytes) })}{' '}
        {text === null && t('body.noText')}
      </p>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls must be reached by the keyboard */}
      <pre className={classes.bytes} data-wraps={shows === 'text'} tabIndex={0} aria-label={t('body.heading')}>
        {shows === 'text' && text !== null ? text : hexLines(told.hexadecimal)}
      </pre>
    </>
  );
}
