import { useEffect } from 'react';

/**
 * F5 runs and Shift+F5 cancels wherever on the page the focus is: a browser would load the page anew, and with that end
 * the session.
 */
export function useRunKeys(run: () => void, cancel: () => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key !== 'F5' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) {
        return;
      }
      event.preventDefault();
      if (event.shiftKey) {
        cancel();
      } else {
        run();
      }
    };
    window.addEventListener('keydown', press);
    return () => {
      window.removeEventListener('keydown', press);
    };
  }, [run, cancel]);
}
