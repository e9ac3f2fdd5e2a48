import { Button, Checkbox, Group, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { BoundedNumber, boundedNumber } from '@/components/ui/bounded-number';
import { CopyText } from '@/components/ui/copy-text';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { Section } from '@/components/ui/section';
import type { Right, Token, TokenMade } from '@/contracts/api';
import { useNow } from '@/hooks/use-now';
import { usePerson } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';
import { relativeTime, useAbsoluteTime } from '@/lib/time';

import { tokenCreate, tokenRevoke, tokensQuery } from '../api/tokens';
import classes from './account.module.css';

const daysUsual = 90;
const daysMax = 366;

/** One's own tokens: made, shown once, revoked. */
export function TokensSection() {
  const { t } = useTranslation('account');
  const [made, setMade] = useState<TokenMade | null>(null);
  const tokens = useQuery(tokensQuery);
  return (
    <Section title={t('tokens.heading')} isOfPage>
      <p className={classes.hint}>{t('tokens.text')}</p>
      <NewToken onMade={setMade} />
      {made !== null && (
        <div className={classes.made} role="status">
          <strong>{t('tokens.once', { name: made.name })}</strong>
          <CopyText value={made.token} what="token" />
        </div>
      )}
      {tokens.isError && <ProblemPanel problem={asProblem(tokens.error)} onRetry={() => void tokens.refetch()} />}
      {tokens.data?.length === 0 && <p className={classes.none}>{t('tokens.none')}</p>}
      <ul className={classes.tokens}>
        {tokens.data?.map((token) => (
          <TokenLine key={token.id} token={token} />
        ))}
      </ul>
    </Section>
  );
}

function NewToken({ onMade }: { onMade: (token: TokenMade) => void }) {
  const { t } = useTranslation('account');
  const { rights } = usePerson();
  const queries = useQueryClient();
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>(['view']);
  const [days, setDays] = useState<number | string>(daysUsual);
  const wanted = boundedNumber(days, 1, daysMax);
  const make = useMutation({
    mutationFn: tokenCreate,
    onSuccess: (token) => {
      onMade(token);
      setName('');
      return queries.invalidateQueries({ queryKey: keys.tokens });
    },
  });
  return (
    <form
      className={classes.form}
      aria-label={t('tokens.make')}
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted !== null) {
          make.mutate({ name: name.trim(), scopes: scopes as Right[], days: wanted });
        }
      }}
    >
      {make.isError && <ProblemPanel problem={asProblem(make.error)} />}
      <Group align="flex-end" gap="sm">
        <TextInput
          label={t('tokens.name')}
          placeholder={t('tokens.nameHint')}
          w={280}
          required
          maxLength={100}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
        <BoundedNumber label={t('tokens.days')} w={120} min={1} max={daysMax} value={days} onChange={setDays} />
        <Button
          type="submit"
          size="sm"
          loading={make.isPending}
          disabled={name.trim() === '' || scopes.length === 0 || wanted === null}
        >
          {t('tokens.make')}
        </Button>
      </Group>
      <Checkbox.Group label={t('tokens.scopes')} value={scopes} onChange={setScopes}>
        <Group gap="md" mt={6}>
          {rights.map((right) => (
            <Checkbox key={right} size="sm" value={right} label={t(`rights.${right}`)} />
          ))}
        </Group>
      </Checkbox.Group>
    </form>
  );
}

function TokenLine({ token }: { token: Token }) {
  const { t } = useTranslation('account');
  const timeText = useAbsoluteTime();
  const now = useNow();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: tokenRevoke,
    onSettled: () => queries.invalidateQueries({ queryKey: keys.tokens }),
  });
  const ends = Date.parse(token.expires_at);
  return (
    <li>
      <div>
        <strong>{token.name}</strong> <code>{token.beginning}…</code>{' '}
        {ends < now && <Badge verdict="error">{t('tokens.expired')}</Badge>}
        <p>
          {token.scopes.map((right) => t(`rights.${right}`)).join(', ')} ·{' '}
          <span title={timeText(ends)}>{t('tokens.until', { time: timeText(ends) })}</span> ·{' '}
          {token.last_used_at === null
            ? t('tokens.unused')
            : t('tokens.used', { time: relativeTime(Date.parse(token.last_used_at), now) })}
        </p>
      </div>
      <Button
        size="xs"
        variant="default"
        loading={revoke.isPending}
        aria-label={t('tokens.revokeThis', { name: token.name })}
        onClick={() => {
          revoke.mutate(token.id);
        }}
      >
        {t('tokens.revoke')}
      </Button>
    </li>
  );
}
