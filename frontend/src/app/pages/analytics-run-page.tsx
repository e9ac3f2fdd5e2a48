import { RunRoom } from '@/features/analytics/components/run-room';

/** What a run of a job has found out. */
export default function AnalyticsRunPage() {
  return <RunRoom />;
}
