import type { TableText } from '@/live/grid/table-text';

/** Puts a table on the clipboard, as text and as HTML; false when the browser does not let it. */
export async function copyTable({ text, html }: TableText): Promise<boolean> {
  // Without TLS a browser has no clipboard to write to; its own copying works everywhere.
  if (!window.isSecureContext || typeof ClipboardItem === 'undefined') {
    return copyByEvent({ text, html });
  }
  try {
    await navigator.clipboard.write([
      new ClipboardItem({
        'text/plain': new Blob([text], { type: 'text/plain' }),
        'text/html': new Blob([html], { type: 'text/html' }),
      }),
    ]);
    return true;
  } catch {
    return copyByEvent({ text, html });
  }
}

function copyByEvent({ text, html }: TableText): boolean {
  let isTaken = false;
  const fill = (event: ClipboardEvent) => {
    event.preventDefault();
    event.clipboardData?.setData('text/plain', text);
    event.clipboardData?.setData('text/html', html);
    isTaken = event.clipboardData !== null;
  };
  document.addEventListener('copy', fill);
  // Deprecated, and the only way that there is without TLS.
  // eslint-disable-next-line @typescript-eslint/no-deprecated
  const isDone = document.execCommand('copy');
  document.removeEventListener('copy', fill);
  return isDone && isTaken;
}
