import type { Breakpoint } from '../recording/breakpoint.ts';
import { complaint, currentRun } from './page-state.ts';
import { loadSession } from './feed.ts';
import { pageName } from './company/company.ts';

/** A command for a run. */
export type Command =
  | { readonly do: 'pause' | 'resume' | 'step' | 'effect' }
  | { readonly do: 'send'; readonly text: string; readonly path?: string | undefined }
  | { readonly do: 'approve'; readonly id: string; readonly input?: unknown }
  | { readonly do: 'deny'; readonly id: string; readonly reason?: string | undefined }
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

/** Sends a command to the server; an abort of the signal takes it back. */
export const post = async (body: object, signal?: AbortSignal): Promise<Posted> => {
  try {
    const response = await fetch(`/api/control?page=${pageName}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: signal ?? null,
    });
    return response.ok ? { value: await response.json() } : { problem: await reasonIn(response) };
  } catch {
    return { problem: signal?.aborted === true ? 'Cancelled.' : 'The inspector does not answer.' };
  }
};

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
