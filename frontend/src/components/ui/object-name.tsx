import classes from './object-name.module.css';

/** A name that gives way in its middle when there is no room: the last part of a service name tells most. */
export function ObjectName({ children: name }: { children: string }) {
  const cut = name.lastIndexOf('/');
  if (cut <= 0) {
    return (
      <span className={classes.name} title={name}>
        <span className={classes.head}>{name}</span>
      </span>
    );
  }
  return (
    <span className={classes.name} title={name}>
      <span className={classes.head}>{name.slice(0, cut)}</span>
      <span className={classes.tail}>{name.slice(cut)}</span>
    </span>
  );
}
