import { Radio, Stack } from '@mantine/core';
import { useState } from 'react';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { Estate, KeySuite } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { tellDone } from '@/lib/notices';

import { setKeySuite } from '../../api/key-suite-set';
import { BusyBar } from './busy-bar';
import classes from './care.module.css';
import { useChange } from './use-change';

const suites: Record<KeySuite, { title: string; text: string }> = {
  md5: { title: 'MD5 and AES-128, as documented', text: 'What SQL Server does. Choose it to compare with a real server.' },
  'aes-256-gcm': { title: 'AES-256-GCM', text: 'Stronger and faster: one cipher encrypts the body and protects the rest.' },
};

/** How secure dialogs of the estate protect their messages. */
export function KeySuiteForm({ estate }: { estate: Estate }) {
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
          ? `Dialogs of ${estate.name} that begin from now on use ${suites[answer.key_suite].title}.`
          : `Saved. ${answer.untold.join(', ')} did not answer and will have it from the next change on.`,
      );
    },
  );
  const isChanged = suite !== estate.key_suite;
  return (
    <Section title="Dialog security">
      <form
        className={classes.stack}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate();
        }}
      >
        <Radio.Group
          aria-label="Dialog security suite"
          value={suite}
          onChange={(value) => {
            setChosen(value);
          }}
        >
          <Stack gap={8}>
            {(Object.keys(suites) as KeySuite[]).map((one) => (
              <Radio key={one} size="sm" value={one} disabled={missing !== null} label={suites[one].title} description={suites[one].text} />
            ))}
          </Stack>
        </Radio.Group>
        {isChanged && (
          <p className={classes.none}>
            Every instance starts anew with it: open transactions are rolled back, connections are made again. Dialogs that have their key
            keep it.
          </p>
        )}
        {change.isPending && <BusyBar>The instances are starting anew…</BusyBar>}
        {change.isError && <ProblemPanel problem={asProblem(change.error)} />}
        {isChanged && (
          <div>
            <GuardedButton barred={missing} type="submit" size="compact-sm" loading={change.isPending}>
              Save the suite
            </GuardedButton>
          </div>
        )}
      </form>
    </Section>
  );
}
