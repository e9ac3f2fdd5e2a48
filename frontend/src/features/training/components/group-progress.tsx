import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import plain from '@/components/ui/plain-table.module.css';
import type { TrainingGroup, TrainingMemberScenario } from '@/contracts/api';

import { progressQuery } from '../api/training';
import classes from './training.module.css';

/** What each member has made of each scenario, and the way into the runs that go on. */
export function GroupProgress({ group }: { group: TrainingGroup }) {
  const { t } = useTranslation('training');
  const { data } = useQuery(progressQuery(group.id));
  if (group.members.length === 0) {
    return <p className={classes.faint}>{t('group.empty')}</p>;
  }
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by the keyboard
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={group.name}>
      <table className={plain.table}>
        <caption>{group.name}</caption>
        <thead>
          <tr>
            <th scope="col">{t('group.member')}</th>
            {data?.scenarios.map(({ id, title }) => (
              <th key={id} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {data?.members.map(({ username, scenarios }) => (
            <tr key={username}>
              <th scope="row">{username}</th>
              {scenarios.map((made) => (
                <td key={made.scenario}>
                  <Made
                    made={made}
                    username={username}
                    title={data.scenarios.find(({ id }) => id === made.scenario)?.title ?? made.scenario}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

type MadeProps = { made: TrainingMemberScenario; username: string; title: string };

function Made({ made: { running, best_score: best, runs }, username, title }: MadeProps) {
  const { t } = useTranslation('training');
  const score = best === null ? null : t('score', { score: best });
  if (running !== null) {
    return (
      <>
        <Link to={`/training/${running.id}`} aria-label={t('group.lookNamed', { name: username, title })}>
          {t('group.running')}
        </Link>
        {score !== null && ` · ${score}`}
      </>
    );
  }
  return score ?? (runs > 0 ? t('group.tried') : '–');
}
