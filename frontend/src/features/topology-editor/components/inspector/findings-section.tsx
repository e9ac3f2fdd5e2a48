import { Link } from 'react-router';

import { SeveritySign } from '@/components/severity-sign';
import { Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useOpenFindings } from '@/hooks/use-findings';
import { findingsAbout } from '@/topology/findings';
import type { Selection } from '@/topology/selection';

import classes from './inspector.module.css';

const shown = 8;

/** What is wrong with the selected object and with what is in it; nothing at all when nothing is. */
export function FindingsSection({ about }: { about: Selection }) {
  const { name: estate } = useEstatePage();
  const findings = findingsAbout(useOpenFindings(), about);
  if (findings.length === 0) {
    return null;
  }
  const base = `/estates/${encodeURIComponent(estate)}/findings`;
  return (
    <Section title={`Findings (${findings.length})`}>
      <ul className={classes.findings}>
        {findings.slice(0, shown).map(({ key, severity, title, text }) => (
          <li key={key}>
            <Link to={`${base}?${new URLSearchParams({ finding: key }).toString()}`} className={classes.finding}>
              <SeveritySign severity={severity} />
              <span>
                <strong>{title}.</strong> {text}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {findings.length > shown && <Link to={base}>All findings of the estate</Link>}
    </Section>
  );
}
