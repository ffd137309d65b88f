import { complaint, currentRun } from './page-state.ts';
import { loadSession } from './feed.ts';

/** What can be asked of a run. */
export type Command =
  | { readonly do: 'pause' | 'resume' | 'step' | 'effect' }
  | { readonly do: 'send'; readonly text: string; readonly path?: string | undefined }
  | { readonly do: 'approve'; readonly id: string }
  | { readonly do: 'deny'; readonly id: string; readonly reason?: string | undefined }
  | { readonly do: 'reply'; readonly id: string; readonly text: string }
  | { readonly do: 'abort'; readonly reason?: string | undefined }
  | { readonly do: 'kill'; readonly path: string }
  | { readonly do: 'fork'; readonly at: number }
  | { readonly do: 'break'; readonly breakpoints: readonly Breakpoint[] };

/** Where a run is to be held. */
export interface Breakpoint {
  readonly kind: 'state' | 'event' | 'guard' | 'cost';
  /** The id of a state, the type of an event, the name of a guard, or US dollars. */
  readonly value: string | number;
}

/** Asks something of a run; says what is wrong where it is refused. */
export const command = async (wanted: Command, run = currentRun.peek()?.run): Promise<boolean> => {
  if (run === undefined) {
    complaint.value = 'Select a run first: there are several.';
    return false;
  }
  try {
    const response = await fetch('/api/control', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ run, ...wanted }),
    });
    complaint.value = response.ok ? undefined : await reasonIn(response);
    void loadSession();
    return response.ok;
  } catch {
    complaint.value = 'The inspector does not answer.';
    return false;
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
      }
  } catch {
    // Then it is said as it is.
  }
  return text === '' ? `Refused (${response.status}).` : text.slice(0, 300);
};
