import { ConsolePanel } from '@/features/console/components/console-panel';

/** Dialogs by hand. */
export default function ConsolePage() {
  return <ConsolePanel />;
}
