import classes from './warning-list.module.css';

/** What a person has to know before a script is run, under a heading of its own; nothing when there is nothing. */
export function WarningList({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) {
    return null;
  }
  return (
    <div className={classes.warnings}>
      <strong>{title}</strong>
      <ul aria-label={title}>
        {lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
    </div>
  );
}
