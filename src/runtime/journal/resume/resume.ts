import type { Agent } from '../../../contracts/agent.ts';
import { TroupeError } from '../../../contracts/error.ts';
import type { JournalStore } from '../../../contracts/journal.ts';
import type { RunHandle, RunOptions } from '../../../contracts/run.ts';
import type { Definition } from '../../define/definition.ts';
import { definitionOf } from '../../define/definition.ts';
import { resumeTaken } from './resumed-run.ts';
import { knownTo, takeOver } from './stored-run.ts';
import { storeWithheld } from '../write/store-silent.ts';
import { releaseLate, whileWanted } from './while-wanted.ts';

/** What a run that is taken up again may be told: what it was begun with is in its journal. */
export type ResumeOptions = Omit<
  RunOptions,
  'runId' | 'history' | 'thread' | 'task' | 'budget' | 'limits' | 'store' | 'inspect' | 'paused'
> & {
  readonly store: JournalStore;
};

/**
 * Goes on with a run where its journal ends, in this process or any other: what models and tools answered is used again, and
 * what was asked for and not answered is done.
 *
 * A call that may have been done is repeated only if its tool is `idempotent` (it is given the same key), asked after where the tool
 * can be (`whatBecame`), and else `tool.ambiguous`: a person decides. Waits and approvals go on as if nothing had happened. Of a run that is
 * over, the handle gives the result. `agent` has to be the one that the run was begun with; prompts and tools may have changed, as
 * far as the run does not do something else for it. Hooks and observers are told the whole run, from its first event on, each once.
 *
 * @example
 * const store = sqliteStore('./runs.db');
 * const handle = await resume(clerk, 'run-17', { store });
 * const { output } = await handle.result;
 *
 * @throws {TroupeError} `journal.unknown`; `journal.held` while another process has it; `journal.corrupt`, `journal.version`; `secret.missing` for
 * a secret that the journal refers to and that is not known here, or a key that is not; `secret.wrong-key`; and
 * {@link DeterminismError} (`journal.diverged`) where the agents do something else than the journal says.
 */
export const resume = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  runId: string,
  options: ResumeOptions,
): Promise<RunHandle<Output, State>> => {
  const { store, ...rest } = options;
  const definition = journaledDefinition(agent);
  const taken = await whileWanted(takeOver(store, runId, knownTo(definition, rest)), {
    signal: rest.signal,
    clock: rest.clock,
    timeMs: timeIn(rest),
    refusal: (why) => storeWithheld(runId, why),
    giveBack: ({ lease }) => releaseLate(store, lease),
  });
  return resumeTaken<Output, State>(definition, taken, rest);
};

/** The time that a run may take, where whoever resumes it would begin it as well. */
const timeIn = ({ budget }: Pick<RunOptions, 'budget' | 'signal'>): number | undefined => budget?.timeMs;

/** The definition behind an agent's face. @throws `agent.invalid` for something that only looks like one. */
export const journaledDefinition = (agent: { readonly name: string }): Definition => {
  const definition = definitionOf(agent);
  if (definition !== undefined) return definition;
  const message = `Cannot go on with a run of '${agent.name}' as it was not made by agent() or a team`;
  throw new TroupeError('agent.invalid', message);
};
