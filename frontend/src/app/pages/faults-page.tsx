import { FaultLab } from '@/features/fault-lab/components/fault-lab';

/** What if something failed. */
export default function FaultsPage() {
  return <FaultLab />;
}
