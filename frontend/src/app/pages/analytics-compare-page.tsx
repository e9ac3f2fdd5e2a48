import { CompareRoom } from '@/features/analytics/components/compare-room';

/** Two runs of the same job beside each other. */
export default function AnalyticsComparePage() {
  return <CompareRoom />;
}
