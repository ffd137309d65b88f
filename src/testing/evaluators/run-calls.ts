import type { Json } from '../../base/json/json.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import type { Examined } from '../../contracts/tasks/evaluator.ts';

/** A call of a tool in a run, by any of its agents. */
export interface RunCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly agent: string;
  readonly path: string;
  readonly step: number;
  readonly at: number;
  /** True if it was answered, false if it failed or was denied, undefined if it has no result. */
  ok: boolean | undefined;
  text: string | undefined;
  /** True if a person approved it. */
  isApproved: boolean;
}

/** Throws for an answer without a run. @throws {TroupeError} `input.invalid` */
export const assertRun = ({ isAnswerOnly = false, result }: Examined): void => {
  if (isAnswerOnly)
    throw new TroupeError(
      'input.invalid',
      `Cannot look at the run of '${result.runId}' as there is only its answer: grade a stored run, or leave out the case's \`output\``,
    );
};

/** The calls of an examined run. @throws {TroupeError} `input.invalid` for an answer without a run. */
export const callsOf = (examined: Examined): readonly RunCall[] => {
  assertRun(examined);
  return callsIn(examined.result.events);
};

/** The calls that the agents of a run decided on, in the order in which they were asked for, with what came of each. */
const callsIn = (events: readonly RuntimeEvent[]): readonly RunCall[] => {
  const found = new Map<string, RunCall>();
  for (const event of events) {
    if (event.type === 'tool.requested') {
      const { callId, tool, input, agent, path, step = 0, at } = event;
      const call = { callId, tool, input, agent, path, step, at, ok: undefined, text: undefined };
      found.set(nameOf(event), { ...call, isApproved: false });
      continue;
    }
    if (event.type !== 'tool.finished' && event.type !== 'tool.approved' && event.type !== 'tool.denied')
      continue;
    const call = found.get(nameOf(event));
    if (call === undefined) continue;
    if (event.type === 'tool.approved') call.isApproved = true;
    else if (event.type === 'tool.denied') call.ok = false;
    else [call.ok, call.text] = [event.ok, event.text];
  }
  return [...found.values()];
};

const nameOf = ({ path, callId }: { readonly path: string; readonly callId: string }): string =>
  `${path} ${callId}`;
