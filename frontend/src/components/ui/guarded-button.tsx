import { Button, Tooltip, type ButtonProps } from '@mantine/core';

type Props = ButtonProps & {
  /** Why it cannot be pressed now; null when it can. */
  barred: string | null;
  onClick?: () => void;
  type?: 'button' | 'submit';
  /** What it does, or by which keys. */
  title?: string;
};

/**
 * A button that, when it cannot be pressed, says why, to the pointer, the keyboard and the screen reader alike. It stays
 * the same element in both states: a press that began before the state changed is not lost.
 */
export function GuardedButton({ barred, onClick, type = 'button', ...rest }: Props) {
  const isBarred = barred !== null;
  return (
    <Tooltip label={barred} disabled={!isBarred} events={{ hover: true, focus: true, touch: true }} multiline maw={320}>
      <Button
        type={isBarred ? 'button' : type}
        {...(isBarred && { 'aria-disabled': true, 'data-disabled': true, 'aria-description': barred })}
        onClick={(event) => {
          if (isBarred) {
            event.preventDefault();
          } else {
            onClick?.();
          }
        }}
        {...rest}
      />
    </Tooltip>
  );
}
