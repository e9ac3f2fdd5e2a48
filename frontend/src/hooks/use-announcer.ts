import { create } from 'zustand';

// What screen readers are told besides what has focus: selection on the canvas, results of commands.
type Announcer = { text: string };

export const useAnnouncer = create<Announcer>(() => ({ text: '' }));

export function announce(text: string): void {
  useAnnouncer.setState({ text });
}
