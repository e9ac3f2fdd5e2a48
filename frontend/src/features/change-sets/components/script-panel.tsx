import { Button, Skeleton } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { SqlSection } from '@/components/ui/sql-text';
import type { ChangeSet } from '@/contracts/api';
import { asProblem } from '@/lib/errors';

import { changeSetScriptQuery } from '../api/script-read';
import classes from './change-sets.module.css';

/** The script of a draft, in the order in which a server takes it, with what a person has to know before it is run. */
export function ScriptPanel({ estate, changeSet, isRollback }: { estate: string; changeSet: ChangeSet; isRollback: boolean }) {
  const { data, error, refetch } = useQuery(changeSetScriptQuery(estate, changeSet, isRollback));
  if (data === undefined) {
    return error === null ? <Skeleton height={240} /> : <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  const file = new URLSearchParams({ change_set: String(changeSet.number), rollback: String(isRollback) });
  return (
    <div className={classes.script}>
      <p className={classes.why}>
        {isRollback ? 'Run on the real servers, this takes back what the draft does.' : 'Run on the real servers, this does what the draft does.'}
      </p>
      <Button
        component="a"
        size="xs"
        variant="default"
        leftSection={<IconDownload size={14} />}
        href={`/api/v1/estates/${encodeURIComponent(estate)}/script.sql?${file.toString()}`}
      >
        Download
      </Button>
      {data.warnings.length > 0 && (
        <ul className={classes.warnings} aria-label="To know before it is run">
          {data.warnings.map((warning) => (
            <li key={warning.line}>
              Line {warning.line}: {warning.detail}
            </li>
          ))}
        </ul>
      )}
      <SqlSection text={data.text} />
    </div>
  );
}
