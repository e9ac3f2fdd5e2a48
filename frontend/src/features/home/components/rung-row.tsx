import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Term } from '@/components/glossary/term';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useNow } from '@/hooks/use-now';
import { numberText } from '@/i18n';
import type { TermName } from '@/i18n/terms';
import { ageText } from '@/live/age';
import type { JudgedRung, PlacedTrouble } from '@/live/ladder/ladder';
import type { RungName, Trouble } from '@/live/ladder/rungs';

import { rungPath, troublePath } from '../links';
import { signs } from '../signs';
import classes from './ladder.module.css';

const terms: Partial<Record<RungName, TermName>> = {
  endpoint: 'endpoint',
  mirrors: 'principal',
  transmission: 'transmissionQueue',
  errors: 'conversation',
  queues: 'queue',
  activation: 'activation',
};

/** Places of one kind of trouble that are named; the view has all of them. */
const placesShown = 6;
const namesShown = 3;

/** A check: its verdict, and where and what, if it is not good. */
export function RungRow({ rung, isBegin }: { rung: JudgedRung; isBegin: boolean }) {
  const { t } = useTranslation('home');
  const { name, verdict, looked, troubles, unknown, isBelowUnknown } = rung;
  const term = terms[name];
  const title = t(`rung.${name}.title`);
  const kinds = [...new Set(troubles.map(({ kind }) => kind))];
  return (
    <li className={classes.rung} data-rung={name} data-verdict={verdict} aria-current={isBegin ? 'step' : undefined}>
      <VerdictIcon verdict={signs[verdict]} size={20} />
      <div className={classes.body}>
        <div className={classes.line}>
          <h3>{term === undefined ? title : <Term name={term}>{title}</Term>}</h3>
          <span className={classes.verdict}>{t(`verdict.${verdict}`)}</span>
          {isBegin && <span className={classes.begin}>{t('ladder.begin')}</span>}
          {verdict === 'ok' && <p>{t(`rung.${name}.ok`, { count: looked })}</p>}
          {isBelowUnknown && <p>{t('ladder.belowUnknown')}</p>}
          {unknown.length > 0 && (
            <NotKnown names={unknown.map(({ instance }) => instance)} isForbidden={verdict === 'not-allowed'} />
          )}
        </div>
        {kinds.map((kind) => (
          <Group key={kind} rung={name} troubles={troubles.filter((trouble) => trouble.kind === kind)} />
        ))}
      </div>
    </li>
  );
}

function NotKnown({ names, isForbidden }: { names: readonly string[]; isForbidden: boolean }) {
  const { t } = useTranslation('home');
  const list = names.join(', ');
  if (isForbidden) {
    return <p>{t('ladder.notAllowed', { names: list })}</p>;
  }
  return (
    <p title={list}>
      {names.length > namesShown
        ? t('ladder.unknownOfMany', { count: names.length })
        : t('ladder.unknownOf', { names: list })}
    </p>
  );
}

/** All troubles of a kind: what they are together, where, and what to do. */
function Group({ rung, troubles }: { rung: RungName; troubles: readonly PlacedTrouble[] }) {
  const { t } = useTranslation('home');
  const { name: estate } = useEstatePage();
  const [first] = troubles;
  if (first === undefined) {
    return null;
  }
  const rest = troubles.length - placesShown;
  return (
    <div className={classes.group} data-old={troubles.every(({ since }) => since !== null)}>
      <p>{t(`trouble.${first.kind}.text`, { count: troubles.reduce((sum, { count }) => sum + count, 0) })}</p>
      <ul className={classes.places}>
        {troubles.slice(0, placesShown).map((trouble) => (
          <Place key={`${trouble.instance}\n${trouble.database ?? ''}\n${trouble.object}`} trouble={trouble} />
        ))}
        {rest > 0 && (
          <li>
            <Link to={rungPath(estate, rung)}>{t('ladder.more', { count: rest })}</Link>
          </li>
        )}
      </ul>
      <p className={classes.cure}>{t(`trouble.${first.kind}.cure`)}</p>
    </div>
  );
}

function Place({ trouble }: { trouble: PlacedTrouble }) {
  const { t } = useTranslation('home');
  const { name: estate } = useEstatePage();
  const now = useNow();
  return (
    <li data-old={trouble.since !== null}>
      <Link to={troublePath(estate, trouble)}>{placeText(trouble)}</Link>
      {trouble.count > 1 && <span className={classes.count}>{numberText(trouble.count)}</span>}
      {trouble.since !== null && (
        <span className={classes.faint}>{t('ladder.old', { age: ageText((now - trouble.since) / 1000) })}</span>
      )}
    </li>
  );
}

/** `PARIS · Ventes · dbo.Commandes`. */
function placeText({ instance, database, object }: Trouble): string {
  return [instance, database, object].filter((part) => part !== null && part !== '').join(' · ');
}
