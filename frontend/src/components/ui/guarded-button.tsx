import { Button, Tooltip, type ButtonProps } from '@mantine/core';

type Props = ButtonProps & {
  /** Why it cannot be pressed now; null when it can. */
  barred: string | null;
  onClick?: () => void;
  type?: 'button' | 'submit';
  /** What it does, or by which keys. */
  title?: string;
};

/** A button that, when it cannot be pressed, says why, to the pointer, the keyboard and the screen reader alike. */
export function GuardedButton({ barred, onClick, type = 'button', ...rest }: Props) {
  if (barred === null) {
    return <Button type={type} onClick={onClick} {...rest} />;
  }
  return (
    <Tooltip label={barred} multiline maw={320}>
      <Button
        type="button"
        aria-disabled
        data-disabled
        aria-description={barred}
        onClick={(event) => {
          event.preventDefault();
        }}
        {...rest}
      />
    </Tooltip>
  );
}
