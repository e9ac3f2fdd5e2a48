import { useRef, useState, type UIEvent } from 'react';

const spare = 12;
const roomAtFirst = 600;

/** Which of many rows of one height are in view, with some to spare; for lists of any length. */
export function useRowsInView(count: number, rowHeight: number) {
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(roomAtFirst);
  const element = useRef<HTMLDivElement | null>(null);
  const observer = useRef<ResizeObserver | null>(null);
  return {
    first: Math.max(0, Math.floor(top / rowHeight) - spare),
    last: Math.min(count, Math.ceil((top + room) / rowHeight) + spare),
    frame: (found: HTMLDivElement | null) => {
      observer.current?.disconnect();
      element.current = found;
      if (found !== null) {
        observer.current = new ResizeObserver(() => {
          setRoom(found.clientHeight || roomAtFirst);
        });
        observer.current.observe(found);
      }
    },
    onScroll: (event: UIEvent<HTMLDivElement>) => {
      setTop(event.currentTarget.scrollTop);
    },
    /** Scrolls just so far that a row is in view. */
    show: (index: number) => {
      const found = element.current;
      if (found !== null) {
        const start = index * rowHeight;
        if (start < found.scrollTop) {
          found.scrollTop = start;
        } else if (start + rowHeight > found.scrollTop + found.clientHeight) {
          found.scrollTop = start + rowHeight - found.clientHeight;
        }
        setTop(found.scrollTop);
      }
    },
  };
}
