import { useContext } from 'react';
import { Navigate, useParams } from 'react-router';

import { useLiveEstate } from '@/app/shell/use-live-estate';
import { Player } from '@/features/training/components/player';
import { EstateContext } from '@/hooks/use-estate-page';

import { SandboxMap } from './sandbox-map';

/** One run of an exercise, with its sandbox as a picture. */
export default function TrainingRunPage() {
  const { run } = useParams();
  const estate = useContext(EstateContext);
  if (run === undefined) {
    return <Navigate to="/training" replace />;
  }
  return (
    <>
      {estate !== null && <Live estate={estate.name} />}
      <Player key={run} id={run} map={<SandboxMap showsWhole={false} />} />
    </>
  );
}

/** The live connection stands as long as there is a sandbox. */
function Live({ estate }: { estate: string }) {
  useLiveEstate(estate);
  return null;
}
