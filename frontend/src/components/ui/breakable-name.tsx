import { Fragment } from 'react';

/** A whole name that may wrap after a slash or a dot, rather than in the middle of a word. */
export function BreakableName({ children: name }: { children: string }) {
  return name.split(/(?<=[/.:])(?![/.:])/).map((part, index) => (
    <Fragment key={`${index}${part}`}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ));
}
