// Lets `style={{ '--name': value }}` through: custom properties are how components hand tokens to style sheets.
import 'react';

declare module 'react' {
  // Types do not merge, and the members all come from the record.
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type
  interface CSSProperties extends Record<`--${string}`, string | number | undefined> {}
}
