import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { Fact, Facts, Section } from '@/components/ui/section';
import type { Estate } from '@/contracts/api';
import { ids } from '@/topology/graph';
import { everyRoute } from '@/topology/lookup';

import { InspectorFrame } from './inspector';
import { RouteTable } from './route-table';

/** An address that no instance of the estate has. */
export function GhostInspector({ estate, address, onClose }: { estate: Estate; address: string; onClose: () => void }) {
  const ghost = ids.ghost(address);
  const routes = everyRoute(estate).filter(
    ({ value }) => ids.ghost(value.address) === ghost || (value.mirror_address !== null && ids.ghost(value.mirror_address) === ghost),
  );
  return (
    <InspectorFrame kind="address" name={address} onClose={onClose} badges={<Badge verdict="unknown">No instance of this estate</Badge>}>
      <Section title="Identity">
        <Facts>
          <Fact label="Address">
            <CopyText value={address} what="address" />
          </Fact>
        </Facts>
        <p>Nothing is ever sent to it from here: messages wait with status 9783.</p>
      </Section>
      <Section title="Routes that lead there">
        <RouteTable routes={routes} label={`Routes to ${address}`} showPlace />
      </Section>
    </InspectorFrame>
  );
}
