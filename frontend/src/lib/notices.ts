// Short notices in the corner: what was done, or why not. Errors stay until they are closed.
import { notifications } from '@mantine/notifications';

import { asProblem, problemLine } from './errors';

export function tellDone(text: string): void {
  notifications.show({ message: text, color: 'accent' });
}

export function tellProblem(error: unknown): void {
  const problem = asProblem(error);
  notifications.show({
    title: problemLine(problem),
    message: [problem.why, problem.cure].filter((line) => line !== '').join(' '),
    color: 'red',
    autoClose: false,
  });
}
