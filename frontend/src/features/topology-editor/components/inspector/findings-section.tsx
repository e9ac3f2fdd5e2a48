import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { FixButton } from '@/components/fixing/fix-button';
import { SeveritySign } from '@/components/severity-sign';
import { Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useFindingCounts, useFindingsAt } from '@/hooks/use-findings';
import { useSandbox } from '@/hooks/use-sandbox';
import { findingsAbout, marksOf } from '@/topology/findings';
import type { Finding } from '@/contracts/api';
import { formatSelection, type Selection } from '@/topology/selection';

import classes from './inspector.module.css';

const shown = 8;

/** What is wrong with the selected object and with what is in it; nothing at all when nothing is. */
export function FindingsSection({ about }: { about: Selection }) {
  const { t } = useTranslation('inspector');
  const { name: estate, change_set: draft } = useEstatePage();
  const sandbox = useSandbox();
  const findings = findingsAbout(useFindingsAt('instance' in about ? about : null), about);
  const { byObject } = useFindingCounts();
  if (findings.length === 0) {
    return null;
  }
  const count = Math.max(findings.length, marksOf(byObject).get(formatSelection(about))?.count ?? 0);
  const base = `/estates/${encodeURIComponent(estate)}/findings`;
  const where: Record<string, string> = draft === null ? {} : { draft: String(draft.number) };
  return (
    <Section title={t('findings', { count })}>
      <ul className={classes.findings}>
        {findings.slice(0, shown).map((finding) => (
          <li key={finding.key}>
            {sandbox === null ? (
              <Link
                to={`${base}?${new URLSearchParams({ ...where, finding: finding.key }).toString()}`}
                className={classes.finding}
              >
                <FindingWords finding={finding} />
              </Link>
            ) : (
              <p className={classes.finding}>
                <FindingWords finding={finding} />
              </p>
            )}
            {sandbox === null && finding.fix.length > 0 && <FixButton finding={finding} isSmall />}
          </li>
        ))}
      </ul>
      {sandbox === null && count > shown && (
        <Link to={`${base}?${new URLSearchParams(where).toString()}`}>{t('allFindings')}</Link>
      )}
    </Section>
  );
}

function FindingWords({ finding }: { finding: Finding }) {
  return (
    <>
      <SeveritySign severity={finding.severity} />
      <span>
        <strong>{finding.title}.</strong> {finding.text}
      </span>
    </>
  );
}
