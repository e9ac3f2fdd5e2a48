import { Navigate, useParams } from 'react-router';

import { Player } from '@/features/training/components/player';

/** One run of an exercise. */
export default function TrainingRunPage() {
  const { run } = useParams();
  return run === undefined ? <Navigate to="/training" replace /> : <Player key={run} id={run} />;
}
