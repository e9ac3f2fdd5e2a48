// Errors as the server states them (RFC 9457 problem documents) and the two cases in which it cannot state any.
import { i18n } from '@/i18n';

export type Problem = {
  title: string;
  /** HTTP status; 0 when no answer came. */
  status: number;
  /** SQL Server's number, null when the problem is not the broker's. */
  code: number | null;
  /** The name of a refusal that has no number: `losses-unticked`. */
  name?: string;
  detail: string;
  why: string;
  cure: string;
  /** JSON pointer to the field concerned, `/address`. */
  pointer: string | null;
  /** What the refusal speaks of, where a page shows it in its own way. */
  parameters?: Record<string, unknown>;
  /** After how long the server wants to be asked again. */
  retryAfterSeconds?: number;
};

export class ApiError extends Error {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.detail === '' ? problem.title : problem.detail);
    this.name = 'ApiError';
    this.problem = problem;
  }
}

/** Throws a problem that was found by trying. */
export function throwRefusal(refused: Problem | null): void {
  if (refused !== null) {
    throw new ApiError(refused);
  }
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** What the body of a failed answer says; an answer that is no problem document still yields one. */
export function readProblem(status: number, body: unknown, retryAfter: string | null = null): Problem {
  const given: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const code = Number(given.code);
  const pointer = text(given.pointer);
  const seconds = retryAfter === null ? NaN : Number(retryAfter);
  return {
    title: text(given.title) || i18n.t('notices:problem.status', { status: String(status) }),
    status,
    code: Number.isInteger(code) && code > 0 ? code : null,
    ...(typeof given.code === 'string' ? { name: given.code } : {}),
    detail: text(given.detail),
    why: text(given.why),
    cure: text(given.cure),
    pointer: pointer === '' ? null : pointer,
    ...(typeof given.parameters === 'object' && given.parameters !== null
      ? { parameters: { ...given.parameters } }
      : {}),
    ...(Number.isFinite(seconds) ? { retryAfterSeconds: seconds } : {}),
  };
}

/** A question that got no answer: unlike a command, it has changed nothing. */
export class UnansweredRead extends Error {}

/** Whether a refusal says what has happened: who got no answer, or found no room, may have been heard before. */
export function isAnswer({ status }: Problem): boolean {
  return ![0, 503, 507].includes(status);
}

/** Any thrown value as a problem: what is not the server's refusal is a request that got no answer. */
export function asProblem(error: unknown): Problem {
  if (error instanceof ApiError) {
    return error.problem;
  }
  if (error instanceof UnansweredRead) {
    return {
      title: i18n.t('notices:problem.noAnswer'),
      status: 0,
      code: null,
      detail: i18n.t('notices:problem.unread'),
      why: error.message,
      cure: i18n.t('notices:problem.unreadCure'),
      pointer: null,
    };
  }
  return {
    title: i18n.t('notices:problem.noAnswer'),
    status: 0,
    code: null,
    detail: i18n.t('notices:problem.noAnswerDetail'),
    why: error instanceof Error ? error.message : '',
    cure: i18n.t('notices:problem.noAnswerCure'),
    pointer: null,
  };
}

/** Texts of the engine's catalogue carry no full stop; one that another sentence follows needs it. */
export function sentence(text: string): string {
  return text === '' || /[.?]$/.test(text) ? text : `${text}.`;
}

/** One line: number first, so that it can be searched for. */
export function problemLine(problem: Problem): string {
  const said = problem.detail === '' ? problem.title : problem.detail;
  return problem.code === null ? said : `${problem.code} · ${said}`;
}

/** Everything there is to tell, for the clipboard. */
export function problemText(problem: Problem): string {
  return [problemLine(problem), problem.why, problem.cure].filter((line) => line !== '').join('\n');
}
