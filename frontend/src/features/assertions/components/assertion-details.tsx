import { Button, CloseButton, Group } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { FlowName } from '@/components/what-if/flow-name';
import type { Assertion } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useAbsoluteTime } from '@/lib/time';
import { failureWords } from '@/topology/faults';
import { whatIfAddress } from '@/topology/what-if-address';

import { useRun } from '../use-assertions';
import { AssertionForm } from './assertion-form';
import classes from './assertions.module.css';
import { HistoryMarks } from './history-marks';
import { RePin } from './re-pin';
import { StateSign } from './state-sign';

type Props = { estate: string; assertion: Assertion; onClose: () => void };

/** All about an assertion: what is asked, what was expected and what came, why, and how to change it. */
export function AssertionDetails({ estate, assertion, onClose }: Props) {
  const { t } = useTranslation('assertions');
  const missing = useMissingRight('edit');
  const timeText = useAbsoluteTime();
  const run = useRun(estate);
  const [isEditing, edit] = useState(false);
  const [isPinning, pin] = useState(false);
  const { question, faults, at, last, name } = assertion;
  return (
    <div className={classes.details}>
      <Group justify="space-between" wrap="nowrap" align="start">
        <h2>{name}</h2>
        <CloseButton aria-label={t('details.close')} onClick={onClose} />
      </Group>
      <span className={classes.signs}>
        <StateSign state={assertion.state} />
        {assertion.is_flaky && <Badge verdict="delayed">{t('flaky')}</Badge>}
        {assertion.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
      </span>
      {assertion.is_flaky && <p className={classes.quiet}>{t('flakyAbout')}</p>}
      {assertion.note !== '' && <p className={classes.note}>{assertion.note}</p>}
      <Group gap={8}>
        <GuardedButton
          size="xs"
          barred={assertion.is_enabled ? null : t('details.isDisabled')}
          loading={run.isPending}
          onClick={() => {
            run.mutate([assertion.id]);
          }}
        >
          {t('bulk.run')}
        </GuardedButton>
        <GuardedButton
          size="xs"
          variant="default"
          barred={missing}
          onClick={() => {
            pin(true);
          }}
        >
          {t('rePin.open')}
        </GuardedButton>
        <GuardedButton
          size="xs"
          variant="default"
          barred={missing}
          onClick={() => {
            edit(!isEditing);
          }}
        >
          {t('details.edit')}
        </GuardedButton>
        <Button component={Link} size="xs" variant="default" to={whatIfAddress(estate, question, { at, faults })}>
          {t('details.ask')}
        </Button>
      </Group>
      {isEditing && (
        <AssertionForm
          estate={estate}
          assertion={assertion}
          onDone={() => {
            edit(false);
          }}
        />
      )}
      {isPinning && (
        <RePin
          estate={estate}
          assertion={assertion}
          onClose={() => {
            pin(false);
          }}
        />
      )}
      <dl className={classes.facts}>
        <dt>{t('details.question')}</dt>
        <dd>
          <FlowName flow={question} />
        </dd>
        {faults.length > 0 && (
          <>
            <dt>{t('details.faults')}</dt>
            <dd>{failureWords(faults)}</dd>
          </>
        )}
        {at !== null && (
          <>
            <dt>{t('details.at')}</dt>
            <dd>{timeText(Date.parse(at))}</dd>
          </>
        )}
        <dt>{t('details.expected')}</dt>
        <dd>{assertion.expected_text}</dd>
        <dt>{t('details.outcome')}</dt>
        <dd>{last === null ? t('details.notRun') : last.actual_text}</dd>
        {last !== null && !last.passed && (
          <>
            <dt>{t('details.why')}</dt>
            <dd>
              {last.number !== null && <strong>{last.number.number} · </strong>}
              {last.why}
              {last.number !== null && <p className={classes.quiet}>{last.number.cure}</p>}
            </dd>
          </>
        )}
        <dt>{t('head.history')}</dt>
        <dd>
          <HistoryMarks history={assertion.history} />
        </dd>
        <dt>{t('details.changed')}</dt>
        <dd>
          {t('details.by', { by: assertion.changed_by || '–', when: timeText(Date.parse(assertion.changed_at)) })}
        </dd>
      </dl>
      {last !== null && last.proof.length > 0 && (
        <>
          <h3>{t('details.proof')}</h3>
          <ol className={classes.proof}>
            {last.proof.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ol>
        </>
      )}
    </div>
  );
}
