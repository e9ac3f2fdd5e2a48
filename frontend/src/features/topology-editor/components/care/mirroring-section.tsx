import { useState } from 'react';

import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { Database, Estate } from '@/contracts/api';
import type { DatabaseView } from '@/contracts/live-messages';
import { useMissingRight } from '@/hooks/use-rights';
import { tellDone } from '@/lib/notices';
import type { DatabasePath } from '@/topology/selection';

import { failOver } from '../../api/database-failover';
import { setMirroringRole } from '../../api/mirroring-role-set';
import classes from './care.module.css';
import { ConfirmChange } from './confirm-change';
import { useLiveDatabase } from './use-live-database';

type Props = { estate: Estate; path: DatabasePath; database: Database };
type Role = 'principal' | 'mirror' | 'unknown';

/** Which half of a mirrored pair this is now, and how the roles change. Nothing for a database that is not mirrored. */
export function MirroringSection({ estate, path, database }: Props) {
  const missing = useMissingRight('edit');
  const [asked, setAsked] = useState<'failover' | 'force' | 'yield' | null>(null);
  const partner = partnerOf(estate, path, database);
  const own = roleOf(useLiveDatabase(path));
  const far = roleOf(useLiveDatabase({ instance: partner ?? '', database: path.database }));
  if (database.partner_address === null && database.state !== 'mirror') {
    return null;
  }
  const noPartner = partner === null ? `No instance of this estate has the partner of ${path.database}.` : null;
  const close = () => {
    setAsked(null);
  };
  return (
    <Section title="Mirroring">
      <Facts>
        <Fact label="Role now">
          <RoleBadge role={own} />
        </Fact>
        <Fact label="Partner">
          {database.partner_address === null ? 'Named by nobody here' : <CopyText value={database.partner_address} what="partner address" />}
        </Fact>
        <Fact label="Its role now">{partner === null ? 'Outside of this estate' : <RoleBadge role={far} place={partner} />}</Fact>
      </Facts>
      {own === 'principal' && far === 'principal' && (
        <Warning>Both partners are principal: messages go to whoever answered last. Make the one whose messages you can do without the mirror copy.</Warning>
      )}
      {own === 'mirror' && far === 'mirror' && <Warning>Neither partner is principal: messages for {path.database} wait at their senders.</Warning>}
      <div className={classes.row}>
        <GuardedButton
          barred={missing ?? noPartner ?? whyNoFailover(path, own, far, partner ?? '')}
          size="compact-sm"
          variant="default"
          onClick={() => {
            setAsked('failover');
          }}
        >
          Fail over…
        </GuardedButton>
        {own === 'principal' && far === 'principal' && (
          <GuardedButton
            barred={missing}
            size="compact-sm"
            variant="default"
            onClick={() => {
              setAsked('yield');
            }}
          >
            Make mirror copy…
          </GuardedButton>
        )}
        {own !== 'principal' && (
          <GuardedButton
            barred={missing ?? (own === 'unknown' ? `${path.instance} has not answered yet.` : null)}
            size="compact-sm"
            variant="default"
            onClick={() => {
              setAsked('force');
            }}
          >
            Force principal…
          </GuardedButton>
        )}
      </div>
      {asked === 'failover' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={`Fail ${path.database} over to ${partner ?? ''}`}
          verb="Fail over"
          busy={`${partner ?? ''} is taking over what ${path.instance} has…`}
          consequences={[
            `${path.instance} becomes the mirror copy: it takes nothing in and sends nothing; open transactions in ${path.database} are lost.`,
            `${partner ?? ''} gets every conversation and message that ${path.instance} has, in place of its own copy, and becomes the principal.`,
            'Senders with a mirrored route follow by themselves; those with an ordinary route keep sending to the old address.',
            'If anything is refused on the way, the roles stay as they are.',
          ]}
          run={() => failOver(estate.name, path)}
          onDone={(answer) => {
            tellDone(`${answer.principal} is the principal of ${path.database}, ${answer.mirror} its mirror copy.`);
            close();
          }}
          onCancel={close}
        />
      )}
      {asked === 'yield' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={`Make ${path.database} on ${path.instance} the mirror copy`}
          verb="Make mirror copy"
          busy={`${path.instance} is becoming the mirror copy…`}
          consequences={[
            `${path.instance} takes nothing in and sends nothing any more; ${partner ?? 'the partner'} alone is the principal.`,
            `What ${path.instance} has and ${partner ?? 'the partner'} has not stays here, out of use. The next failover to ${path.instance} replaces it for good; take a backup before that.`,
          ]}
          run={() => setMirroringRole(estate.name, path, 'mirror')}
          onDone={() => {
            tellDone(`${path.database} on ${path.instance} is the mirror copy.`);
            close();
          }}
          onCancel={close}
        />
      )}
      {asked === 'force' && (
        <ConfirmChange
          estate={estate.name}
          name={path.database}
          title={`Make ${path.instance} the principal of ${path.database} by force`}
          verb="Force principal"
          busy={`${path.instance} is becoming the principal…`}
          consequences={[
            `${path.instance} becomes the principal with what it was last restored with: conversations and messages since then are missing here.`,
            `${partner ?? 'The partner'} is not asked and keeps its role. If it is principal too, or comes back as one, both claim the role.`,
            'This is for a partner that is lost. As long as it answers, fail over from its page instead.',
          ]}
          run={() => setMirroringRole(estate.name, path, 'principal')}
          onDone={() => {
            tellDone(`${path.instance} is the principal of ${path.database}.`);
            close();
          }}
          onCancel={close}
        />
      )}
    </Section>
  );
}

function partnerOf(estate: Estate, path: DatabasePath, database: Database): string | null {
  const pair = estate.mirrors.find((mirror) => mirror.broker_instance === database.broker_instance);
  return pair?.instances.find((instance) => instance !== path.instance) ?? null;
}

function roleOf(view: DatabaseView | undefined): Role {
  return view === undefined ? 'unknown' : view.state === 'mirror' ? 'mirror' : 'principal';
}

function whyNoFailover(path: DatabasePath, own: Role, far: Role, partner: string): string | null {
  if (own === 'unknown' || far === 'unknown') {
    return `${own === 'unknown' ? path.instance : partner} has not answered: a failover needs both partners.`;
  }
  if (own === 'mirror') {
    return far === 'mirror' ? 'Neither partner is principal.' : `A failover begins at the principal, ${partner} (1470).`;
  }
  return far === 'principal' ? `${partner} is principal too (1470).` : null;
}

function RoleBadge({ role, place }: { role: Role; place?: string }) {
  const words: Record<Role, string> = { principal: 'Principal', mirror: 'Mirror copy', unknown: 'Unknown' };
  const verdicts = { principal: 'delivered', mirror: 'mirror', unknown: 'unknown' } as const;
  return (
    <Badge verdict={verdicts[role]}>
      {words[role]}
      {place === undefined ? '' : ` on ${place}`}
    </Badge>
  );
}

function Warning({ children }: { children: React.ReactNode }) {
  return (
    <p className={classes.warning} role="note">
      <VerdictIcon verdict="lost" size={16} />
      <span>{children}</span>
    </p>
  );
}
