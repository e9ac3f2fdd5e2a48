import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { EndpointSwitch } from '@/components/endpoint-switch';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Instance, InstanceHosting } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useSandbox } from '@/hooks/use-sandbox';
import { useNow } from '@/hooks/use-now';
import { i18n } from '@/i18n';
import { ageText } from '@/live/age';
import { instanceHealth } from '@/live/health';
import type { Liveness } from '@/live/liveness';
import type { LiveState } from '@/live/compose';

import { hostingQuery } from '../api/hosting-read';
import { hostFacts, hostWords } from '../host-words';
import classes from './live-panel.module.css';

type Props = { live: LiveState; liveness: Liveness; showsSwitches: boolean };

/** Whose rows these are: each instance with its state, and, when it is not current, how old its rows are. */
export function InstanceStrip({ live, liveness, showsSwitches }: Props) {
  const estate = useEstatePage();
  const sandbox = useSandbox();
  const troubled = estate.instances.filter((instance) => {
    return liveness === 'offline' || live.instances[instance.name]?.unavailable !== null;
  });
  const { data: hosting } = useQuery({ ...hostingQuery(estate.name), enabled: showsSwitches && sandbox === null });
  const shown = showsSwitches ? estate.instances : troubled;
  if (shown.length === 0) {
    return <span />;
  }
  return (
    <div className={classes.strip}>
      {shown.map((instance) => (
        <InstanceChip
          key={instance.name}
          instance={instance}
          live={live}
          liveness={liveness}
          showsSwitch={showsSwitches && sandbox === null}
          hosting={hosting?.find((each) => each.instance === instance.name)}
        />
      ))}
      {liveness !== 'offline' && <Silence names={shown.map((instance) => instance.name)} live={live} />}
    </div>
  );
}

/** Why instances do not answer, in words that nobody has to look for. */
function Silence({ names, live }: { names: string[]; live: LiveState }) {
  const silent = names.filter((name) => typeof live.instances[name]?.unavailable === 'string');
  return silent.map((name) => (
    <p key={name} className={classes.reason}>
      {instanceHealth(name, live.instances[name]).text}
    </p>
  ));
}

type ChipProps = {
  instance: Instance;
  live: LiveState;
  liveness: Liveness;
  showsSwitch: boolean;
  hosting: InstanceHosting | undefined;
};

function InstanceChip({ instance, live, liveness, showsSwitch, hosting }: ChipProps) {
  const { t } = useTranslation('live');
  const estate = useEstatePage();
  const now = useNow();
  const one = live.instances[instance.name];
  const health = instanceHealth(instance.name, one);
  const seenAt = one?.seenAt ?? null;
  const isOld = seenAt !== null && (liveness === 'offline' || one?.unavailable !== null);
  return (
    <span className={classes.instance} title={health.text}>
      <VerdictIcon verdict={isOld ? 'unknown' : health.verdict} size={14} />
      <strong>{instance.name}</strong>
      <span className={classes.age}>{stateWords(instance, one?.view?.endpoint_state, one?.unavailable ?? null)}</span>
      {isOld && <span className={classes.age}>{t('strip.asOf', { age: ageText((now - seenAt) / 1000) })}</span>}
      {hosting !== undefined && (
        <span className={classes.age} title={hostFacts(hosting)}>
          {hostWords(hosting)}
        </span>
      )}
      {showsSwitch && <EndpointSwitch estate={estate.name} instance={instance} size="compact-xs" />}
    </span>
  );
}

function stateWords(instance: Instance, running: string | null | undefined, unavailable: string | null): string {
  if (unavailable !== null) {
    return i18n.t('live:strip.notConnected');
  }
  if (running === undefined) {
    return i18n.t('live:strip.unknown');
  }
  if (running === null) {
    return i18n.t('live:strip.noEndpoint');
  }
  const wanted = instance.endpoint?.state;
  return wanted === undefined || wanted === running
    ? i18n.t('live:strip.endpoint', { running })
    : i18n.t('live:strip.endpointWanted', { running, wanted });
}
