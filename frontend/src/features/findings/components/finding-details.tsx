import { CloseButton } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { FixButton } from '@/components/fixing/fix-button';
import { BreakableName } from '@/components/ui/breakable-name';
import { Section } from '@/components/ui/section';
import { SeveritySign } from '@/components/severity-sign';
import { WhatIfLink } from '@/components/what-if/what-if-links';
import type { Finding } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useAbsoluteTime } from '@/lib/time';
import { flowOfSubject } from '@/topology/flow-of-subject';

import classes from './findings-panel.module.css';
import { SubjectLink } from './subject-link';
import { Suppression } from './suppression';

/** All about one finding: what, why, what to do, and putting it aside. */
export function FindingDetails({ finding, onClose }: { finding: Finding; onClose: () => void }) {
  const { t } = useTranslation('findings');
  const timeText = useAbsoluteTime();
  const estate = useEstatePage();
  const flow = flowOfSubject(estate, finding.subject);
  const {
    code,
    number,
    severity,
    title,
    subject,
    further,
    text,
    why,
    cure,
    fix,
    first_seen_at: seen,
    first_revision: revision,
  } = finding;
  return (
    <div className={classes.details}>
      <header className={classes.head}>
        <div className={classes.kind}>
          <SeveritySign severity={severity} />
          <code>
            {code}
            {number !== null && ` (${number})`}
          </code>
          <CloseButton size="sm" aria-label={t('close')} onClick={onClose} />
        </div>
        <h2>{title}</h2>
        <SubjectLink subject={subject} isWhole />
        {flow !== null && (
          <div>
            <WhatIfLink estate={estate} {...flow} label={t('whatIf')} size="compact-sm" />
          </div>
        )}
      </header>
      <Section title={t('column.text')}>
        <p className={classes.words}>
          <BreakableName>{text}</BreakableName>
        </p>
      </Section>
      <Section title={t('consequence')}>
        <p className={classes.words}>{why}</p>
      </Section>
      <Section title={t('cure')}>
        <p className={classes.words}>{cure}</p>
      </Section>
      {fix.length > 0 && (
        <Section title={t('fix')} aside={<FixButton finding={finding} />}>
          {fix.map(({ instance, steps }, at) => (
            <div key={`${at} ${instance}`} className={classes.fix}>
              <span>{t('on', { instance })}</span>
              <ol>
                {steps.map((step) => (
                  <li key={step}>
                    <BreakableName>{step}</BreakableName>
                  </li>
                ))}
              </ol>
            </div>
          ))}
        </Section>
      )}
      {further.length > 0 && (
        <Section title={t('further', { count: further.length })}>
          <ul className={classes.further}>
            {further.map((other) => (
              <li key={JSON.stringify(other)}>
                <SubjectLink subject={other} isWhole />
              </li>
            ))}
          </ul>
        </Section>
      )}
      {revision !== null && seen !== null && (
        <Section title={t('firstSeen')}>
          <p className={classes.words}>{t('firstSeenAt', { revision, at: timeText(Date.parse(seen)) })}</p>
        </Section>
      )}
      <Suppression finding={finding} />
    </div>
  );
}
