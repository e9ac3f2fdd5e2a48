import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { Estate, KeySuite } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';

import { setKeySuite } from '../../api/key-suite-set';
import { BusyBar } from '@/components/confirm/busy-bar';
import classes from './care.module.css';
import { useChange } from '@/components/confirm/use-change';

const suites: readonly KeySuite[] = ['md5', 'aes-256-gcm'];

/** How secure dialogs of the estate protect their messages. */
export function KeySuiteForm({ estate }: { estate: Estate }) {
  const { t } = useTranslation('care');
  const missing = useMissingRight('edit');
  const [chosen, setChosen] = useState<KeySuite | null>(null);
  const suite = chosen ?? estate.key_suite;
  const change = useChange(
    estate.name,
    () => setKeySuite(estate.name, suite),
    (answer) => {
      setChosen(null);
      tellDone(
        answer.untold.length === 0
          ? t('suite.saved', { estate: estate.name, suite: t(`suite.${answer.key_suite}.title`) })
          : t('suite.untold', { names: answer.untold.join(', ') }),
      );
    },
  );
  const isChanged = suite !== estate.key_suite;
  return (
    <Section title={t('suite.heading')}>
      <form
        className={classes.stack}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Radio.Group
          aria-label={t('suite.label')}
          value={suite}
          onChange={(value) => {
            setChosen(value);
          }}
        >
          <Stack gap={8}>
            {suites.map((one) => (
              <Radio
                key={one}
                size="sm"
                value={one}
                disabled={missing !== null}
                label={t(`suite.${one}.title`)}
                description={t(`suite.${one}.text`)}
              />
            ))}
          </Stack>
        </Radio.Group>
        {isChanged && <p className={classes.none}>{t('suite.about')}</p>}
        {change.isPending && <BusyBar>{t('suite.busy')}</BusyBar>}
        {change.isError && <ProblemPanel problem={asProblem(change.error)} />}
        {isChanged && (
          <div>
            <GuardedButton barred={missing} type="submit" size="compact-sm" loading={change.isPending}>
              {t('suite.save')}
            </GuardedButton>
          </div>
        )}
      </form>
    </Section>
  );
}
