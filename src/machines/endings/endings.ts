import type { Ending, EndingVerdict, EndingView } from '../../contracts/agents/ending.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';

/** The role of an agent: a `router` has to delegate the work, a `worker` to do it. */
export type EndingRole = 'worker' | 'router';

/** Options of {@link byTool}. */
export interface ByToolOptions {
  /** Tools whose success ends the work, their value being the answer. Control tools always do. */
  readonly tools?: string | readonly string[] | undefined;
  /**
   * The phase of the work, or a pure function that returns it. In `chat` and `brainstorm`, in any case of letters, an answer is enough.
   * Default: the phase that the agent was started in, for example by an `orchestrator`; otherwise none.
   */
  readonly phase?: string | ((view: EndingView) => string) | undefined;
  /** Default `worker`. */
  readonly role?: EndingRole | undefined;
  /** Total number of answers before the work is completed automatically. Default 2: one reminder. */
  readonly attempts?: number | undefined;
  /** Wait before a reminder (counted from 1), in ms. Default: none. */
  readonly remindAfterMs?: number | ((reminder: number) => number) | undefined;
}

const EXEMPT: readonly string[] = ['chat', 'brainstorm'];

const REMINDERS: Readonly<Record<EndingRole, string>> = {
  worker:
    'You answered without saying that you are done. If you are, call the tool that completes the task, with the final answer; else go on.',
  router:
    'You answered, but your task is to route: call the tool that gives the work to one of the others, or the tool that ends the conversation.',
};

/** The answer of an agent that never said anything. */
const NOTHING_SAID = 'Task completed';

/**
 * Ends by a terminal tool: `complete`, `respond`, `handoff` and other control tools, and those named.
 *
 * A model that answers without one is reminded, by default once. Then its work is completed automatically: the run ends `completed` with
 * its last text and `autoCompleted: true`, which its supervisor sees. A router is never completed: its run fails with `routing.required`.
 *
 * @example
 * agent({ name: 'coder', tools: [edit, complete], stop: { ends: byTool() } });
 *
 * @throws {TroupeError} `agent.invalid` for attempts that are no whole number from 1.
 */
export const byTool = (options: ByToolOptions = {}): Ending => {
  const { tools = [], phase, role = 'worker', attempts = 2, remindAfterMs } = options;
  if (!Number.isSafeInteger(attempts) || attempts < 1)
    throw new TroupeError(
      'agent.invalid',
      `Cannot end by a tool as its attempts are not a whole number from 1: found ${foundText(attempts)}`,
    );
  const terminal = [tools].flat();
  return {
    name: 'byTool',
    takesSilence: true,
    answered: (view) => {
      const current = typeof phase === 'function' ? phase(view) : (phase ?? view.phase ?? '');
      if (EXEMPT.includes(current.trim().toLowerCase())) return { kind: 'end' };
      const reminder = view.sentBack + 1;
      if (reminder >= attempts || view.isLast) return unsaid(view, role);
      const afterMs = typeof remindAfterMs === 'function' ? remindAfterMs(reminder) : remindAfterMs;
      return { kind: 'goOn', note: REMINDERS[role], ...(afterMs === undefined ? {} : { afterMs }) };
    },
    ...(terminal.length === 0
      ? {}
      : {
          acted: ({ results }): EndingVerdict | undefined => {
            const done = results.find(({ ok, tool }) => ok && terminal.includes(tool));
            return done?.ok === true ? { kind: 'end', answer: done.value } : undefined;
          },
        }),
  };
};

const unsaid = ({ agent, answer, text, said, sentBack }: EndingView, role: EndingRole): EndingVerdict =>
  role === 'router'
    ? {
        kind: 'fail',
        error: {
          code: 'routing.required',
          message: `Cannot end '${agent}' as it is a router and gave the work to nobody: ${sentBack + 1} answers without a route`,
          retryable: 'no',
        },
      }
    : { kind: 'autoComplete', answer: text === '' ? said || NOTHING_SAID : answer };

/** Ends by an answer without calls: the behaviour without any policy. */
export const byNoToolCalls = (): Ending => ({ name: 'byNoToolCalls', answered: () => ({ kind: 'end' }) });

/**
 * Ends by a line that contains only the marker, which is not part of the answer, or by silence after an answer.
 *
 * After an answer without it the model is asked to continue, as long as the stop rules allow.
 *
 * @example
 * agent({ name: 'writer', instructions: 'Write the report, part by part.', stop: { ends: byMarker('THE END') } });
 *
 * @throws {TroupeError} `agent.invalid` for an empty marker, or one of several lines.
 */
export const byMarker = (marker: string): Ending => {
  const wanted = marker.trim();
  if (wanted === '' || wanted.includes('\n'))
    throw new TroupeError('agent.invalid', `Cannot end by a marker as it is no single line: '${marker}'`);
  return {
    name: 'byMarker',
    takesSilence: true,
    readsText: true,
    answered: ({ text, said, isLast }) => {
      const lines = text.split('\n');
      const rest = lines.filter((line) => line.trim() !== wanted);
      if (text === '' || rest.length < lines.length)
        return { kind: 'end', answer: rest.join('\n').trim() || said };
      if (isLast) return { kind: 'end' };
      return {
        kind: 'goOn',
        note: `Go on. When everything is done, say so on a line of its own: ${wanted}`,
      };
    },
  };
};
