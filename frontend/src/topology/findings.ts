// Findings and the objects of the drawing: what a finding selects, and what an object has against it.
import type { Finding, FindingCount, FindingSubject, Severity } from '@/contracts/api';
import { i18n } from '@/i18n';

import { formatSelection, parseSelection, type Selection } from './selection';

/** How many findings an object has, and how grave the gravest is. */
export type Mark = { severity: Severity; count: number };
/** By what the object is as a selection in text. */
export type Marks = ReadonlyMap<string, Mark>;

const rank: Record<Severity, number> = { error: 0, warning: 1, info: 2 };

export function severityWord(severity: Severity): string {
  return i18n.t(`topology:severity.${severity}`);
}

/** What shows the object of a finding: the object, or the database or instance that it is in. */
export function selectionOfSubject({ instance, database, kind, name }: FindingSubject): Selection {
  if (database === null) {
    return { kind: 'instance', instance };
  }
  if (kind === 'route') {
    return { kind, instance, database, route: name };
  }
  return kind === 'service' ? { kind, instance, database, service: name } : { kind: 'database', instance, database };
}

/** The marks of all objects. A database has those of what is in it, an instance those of its databases. */
export function marksOf(counts: readonly FindingCount[]): Marks {
  const marks = new Map<string, Mark>();
  for (const { subject, severity, count } of counts) {
    for (const place of placesOf(subject)) {
      const known = marks.get(place);
      marks.set(place, {
        count: (known?.count ?? 0) + count,
        severity: known !== undefined && rank[known.severity] <= rank[severity] ? known.severity : severity,
      });
    }
  }
  return marks;
}

/** The marks with one more, for an object whose form has a mistake, given as a selection in text. */
export function withMistake(marks: Marks, about: string | null): Marks {
  const selection = parseSelection(about);
  if (selection === null || selection.kind === 'ghost') {
    return marks;
  }
  const { instance } = selection;
  const database =
    'database' in selection ? [formatSelection({ kind: 'database', instance, database: selection.database })] : [];
  const places = new Set([formatSelection(selection), ...database, formatSelection({ kind: 'instance', instance })]);
  return new Map([
    ...marks,
    ...[...places].map(
      (place) => [place, { count: (marks.get(place)?.count ?? 0) + 1, severity: 'error' as const }] as const,
    ),
  ]);
}

/** The findings that a selection shows. */
export function findingsAbout(findings: readonly Finding[], selection: Selection): Finding[] {
  const place = formatSelection(selection);
  return findings.filter(({ subject }) => placesOf(subject).has(place));
}

function placesOf(subject: FindingSubject): Set<string> {
  const { instance, database } = subject;
  const places = [selectionOfSubject(subject), { kind: 'instance', instance } as const];
  return new Set(
    [...places, ...(database === null ? [] : [{ kind: 'database', instance, database } as const])].map(formatSelection),
  );
}

/** `2 findings, the gravest: error`, for the name of what carries a mark. */
export function markWords({ severity, count }: Mark): string {
  return i18n.t(`topology:mark.${severity}`, { count });
}
