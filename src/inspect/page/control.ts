import type { Approver } from '../../contracts/people/approval-terms.ts';
import type { Breakpoint } from '../recording/breakpoint.ts';
import { complaint, currentRun, shownProcess } from './page-state.ts';
import { loadSession } from './feed.ts';
import { pageName } from './company/company.ts';

/** The person who answers, where the request needs to know. */
interface Answering {
  readonly by?: Approver | undefined;
}

/** A command for a run. */
export type Command =
  | { readonly do: 'pause' | 'resume' | 'step' | 'effect' }
  | { readonly do: 'send'; readonly text: string; readonly path?: string | undefined }
  | ({ readonly do: 'approve'; readonly id: string; readonly input?: unknown } & Answering)
  | ({ readonly do: 'deny'; readonly id: string; readonly reason?: string | undefined } & Answering)
  | { readonly do: 'reply'; readonly id: string; readonly text: string }
  | { readonly do: 'abort'; readonly reason?: string | undefined }
  | { readonly do: 'kill'; readonly path: string }
  | {
      readonly do: 'fork';
      readonly at?: number | undefined;
      readonly message?: string | undefined;
      readonly model?: string | undefined;
    }
  | { readonly do: 'break-add' | 'break-remove'; readonly breakpoint: Breakpoint };

/**
 * Sends a command for a run, and shows the reason if it is refused; then returns undefined, else the server's response.
 */
export const command = async (wanted: Command, run = currentRun.peek()?.run): Promise<unknown> => {
  if (run === undefined) {
    complaint.value = 'Select a run first: there are several.';
    return undefined;
  }
  return ask({ run, ...wanted });
};

/** Removes a breakpoint of all runs. */
export const holdNoRunAt = (breakpoint: Breakpoint): Promise<unknown> =>
  ask({ do: 'break-remove', breakpoint });

const ask = async (body: object): Promise<unknown> => {
  const said = await post(body);
  complaint.value = said.problem;
  void loadSession();
  return said.value;
};

/** The server's response to a command, or the reason why it was refused. */
export type Posted =
  | { readonly value: unknown; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string };

/** Sends a command to the server, for the process that is shown unless another is named; undefined is the server's own. */
export const post = async (
  body: object,
  { process }: { readonly process: string | undefined } = { process: shownProcess.peek() },
): Promise<Posted> => {
  try {
    return await readPosted(await send(body, { process, accept: 'application/json' }));
  } catch {
    return { problem: NO_ANSWER };
  }
};

/** Sends a command whose response comes in lines: pieces are given to `take` as they arrive, the last line is the response. */
export const postForPieces = async (
  body: object,
  signal: AbortSignal,
  take: (piece: unknown) => void,
): Promise<Posted> => {
  try {
    const response = await send(body, { process: shownProcess.peek(), accept: LINES, signal });
    const type = response.headers.get('content-type') ?? '';
    if (!type.startsWith(LINES) || response.body === null) return await readPosted(response);
    let last: unknown;
    for await (const line of linesIn(response.body)) {
      last = JSON.parse(line);
      if (isPiece(last)) take(last.piece);
    }
    const problem = isRefused(last) ? last.error.message : undefined;
    if (problem !== undefined) return { problem };
    // The connection broke off.
    return isPiece(last) || last === undefined ? { problem: NO_ANSWER } : { value: last };
  } catch {
    return { problem: signal.aborted ? 'Cancelled.' : NO_ANSWER };
  }
};

const LINES = 'application/x-ndjson';
const NO_ANSWER = 'The inspector does not answer.';

async function* linesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
    if (done) return;
  }
}

interface Sending {
  readonly process: string | undefined;
  readonly accept: string;
  readonly signal?: AbortSignal;
}

const send = (body: object, { process, accept, signal }: Sending): Promise<Response> => {
  const of = process === undefined ? '' : `&process=${process}`;
  return fetch(`/api/control?page=${pageName}${of}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept },
    body: JSON.stringify(body),
    signal: signal ?? null,
  });
};

const readPosted = async (response: Response): Promise<Posted> =>
  response.ok ? { value: await response.json() } : { problem: await reasonIn(response) };

const isPiece = (line: unknown): line is { readonly piece: unknown } =>
  typeof line === 'object' && line !== null && 'piece' in line;

const isRefused = (line: unknown): line is { readonly error: { readonly message: string } } =>
  typeof line === 'object' && line !== null && 'error' in line && isSaid(line.error);

const reasonIn = async (response: Response): Promise<string> => {
  const text = await response.text();
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null)
      for (const key of ['message', 'error', 'problem']) {
        const value: unknown = Reflect.get(body, key);
        if (typeof value === 'string') return value;
        if (isSaid(value)) return value.message;
      }
  } catch {
    // Not JSON: shown verbatim.
  }
  return text === '' ? `Refused (${response.status}).` : text.slice(0, 300);
};

const isSaid = (value: unknown): value is { readonly message: string } =>
  typeof value === 'object' && value !== null && 'message' in value && typeof value.message === 'string';
