import { useCallback, useEffect, useState, type UIEvent } from 'react';

const spare = 12;
const roomAtFirst = 600;

/** Which of many rows of one height are in view, with some to spare; for lists of any length. */
export function useRowsInView(count: number, rowHeight: number) {
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(roomAtFirst);
  const [frame, setFrame] = useState<HTMLDivElement | null>(null);

  useEffect(() => {
    if (frame === null) {
      return;
    }
    const observer = new ResizeObserver(() => {
      setRoom(frame.clientHeight || roomAtFirst);
    });
    observer.observe(frame);
    return () => {
      observer.disconnect();
    };
  }, [frame]);

  const onScroll = useCallback((event: UIEvent<HTMLDivElement>) => {
    setTop(event.currentTarget.scrollTop);
  }, []);

  /** Scrolls just so far that a row is in view. */
  const show = (index: number) => {
    if (frame !== null) {
      const start = index * rowHeight;
      const least = start + rowHeight - frame.clientHeight;
      scrollTo(frame, Math.max(Math.min(frame.scrollTop, start), least));
      setTop(frame.scrollTop);
    }
  };
  return {
    first: Math.max(0, Math.floor(top / rowHeight) - spare),
    last: Math.min(count, Math.ceil((top + room) / rowHeight) + spare),
    setFrame,
    onScroll,
    show,
  };
}

function scrollTo(element: HTMLElement, top: number): void {
  element.scrollTop = top;
}
