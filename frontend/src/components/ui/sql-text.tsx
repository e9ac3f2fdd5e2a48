import { CopyButton, Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import classes from './sql-text.module.css';
import { Section } from './section';

const keywords =
  /\b(USE|CREATE|ALTER|ROUTE|WITH|SERVICE_NAME|BROKER_INSTANCE|LIFETIME|ADDRESS|MIRROR_ADDRESS|SERVICE|ON|QUEUE|DATABASE|SET|ENABLE_BROKER|DISABLE_BROKER|PARTNER|ENDPOINT|STATE|STARTED|STOPPED|DISABLED|ENABLED|AS|TCP|LISTENER_PORT|FOR|SERVICE_BROKER|MESSAGE_FORWARDING|MESSAGE_FORWARD_SIZE|AUTHENTICATION|WINDOWS|NTLM|KERBEROS|NEGOTIATE|CERTIFICATE|ENCRYPTION|REQUIRED|SUPPORTED|ALGORITHM|AES|RC4|GRANT|DENY|CONNECT|TO)\b/;
// Names, strings and comments come first, so that a keyword inside of them stays what it is.
const token = new RegExp(
  `(\\[(?:[^\\]]|\\]\\])*\\])|(N?'(?:[^']|'')*')|(--.*|/\\*[\\s\\S]*?\\*/)|${keywords.source}`,
  'g',
);

type Part = { kind: 'plain' | 'name' | 'string' | 'comment' | 'keyword'; text: string; at: number };

function parts(text: string): Part[] {
  const found: Part[] = [];
  let end = 0;
  for (const match of text.matchAll(token)) {
    found.push({ kind: 'plain', text: text.slice(end, match.index), at: end });
    const kind = match[1] ? 'name' : match[2] ? 'string' : match[3] ? 'comment' : 'keyword';
    found.push({ kind, text: match[0], at: match.index });
    end = match.index + match[0].length;
  }
  found.push({ kind: 'plain', text: text.slice(end), at: end });
  return found.filter((part) => part.text !== '');
}

/** The T-SQL that defines what is selected, for reading and copying. */
export function SqlSection({ text, isOfPage = false }: { text: string; isOfPage?: boolean }) {
  const { t } = useTranslation('common');
  return (
    <Section
      title="T-SQL"
      isOfPage={isOfPage}
      aside={
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button variant="subtle" color="gray" size="compact-xs" onClick={copy}>
              {copied ? t('copied') : t('copy')}
            </Button>
          )}
        </CopyButton>
      }
    >
      <pre className={classes.sql}>
        {parts(text).map((part) => (
          <span key={part.at} data-kind={part.kind}>
            {part.text}
          </span>
        ))}
      </pre>
    </Section>
  );
}
