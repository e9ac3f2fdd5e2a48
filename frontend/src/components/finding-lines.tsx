import { Link } from 'react-router';

import type { FindingLine } from '@/contracts/api';

import classes from './finding-lines.module.css';
import { SeveritySign } from './severity-sign';

type Props = {
  label: string;
  findings: readonly FindingLine[];
  /** Where all about a finding stands; none where it stands nowhere yet. */
  addressOf?: (finding: FindingLine) => string;
};

/** Findings, a line each: how grave, which check, what is wrong and where. */
export function FindingLines({ label, findings, addressOf }: Props) {
  return (
    <ul className={classes.lines} aria-label={label}>
      {findings.map((finding) => (
        <li key={finding.key} className={classes.line}>
          <SeveritySign severity={finding.severity} />
          <span className={classes.code}>{finding.code}</span>
          <span className={classes.text}>
            {addressOf === undefined ? (
              <strong>{finding.title}</strong>
            ) : (
              <Link to={addressOf(finding)}>{finding.title}</Link>
            )}
            . {finding.text}
            <span className={classes.place}>{placeOf(finding)}</span>
          </span>
        </li>
      ))}
    </ul>
  );
}

function placeOf({ subject: { instance, database, kind, name } }: FindingLine): string {
  const place = database === null ? instance : `${instance} · ${database}`;
  return kind === 'instance' || kind === 'database' ? place : `${place} · ${kind} ${name}`;
}
