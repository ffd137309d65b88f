import type { ResumeOptions } from './resume-options.ts';
import type { Agent } from '../../../contracts/agents/agent.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { RunHandle } from '../../../contracts/runs/run-handle.ts';
import type { RunOptions } from '../../../contracts/runs/run-options.ts';
import { clientTool } from '../../../tools/define/client-tool.ts';
import type { Definition } from '../../define/definition.ts';
import { definitionOf } from '../../define/definition.ts';
import { checkResume } from './resume-schema.ts';
import { resumeTaken } from './resumed-run.ts';
import type { JournaledSetup } from './stored-run.ts';
import { knownSecrets, acquireRun } from './stored-run.ts';
import { storeWithheld } from '../write/store-silent.ts';
import { releaseLate, whileWanted } from './while-wanted.ts';

/**
 * Resumes a run where its journal ends, in this process or any other: recorded answers are reused, and effects without an answer are
 * executed.
 *
 * A call that may have been made is repeated only if its tool is `idempotent` (it gets the same key), looked up if the tool can be queried
 * by key (`whatBecame`), and otherwise surfaces as `tool.ambiguous` for a person to decide. Waits and approvals stay open. For a run that
 * is over, the handle gives the result. `agent` has to be the one that the run was started with; prompts and tools may have changed as long
 * as the run does nothing else because of it. Hooks and observers receive every event of the run once, from the first.
 *
 * @example
 * const store = sqliteStore('./runs.db');
 * const handle = await resume(clerk, 'run-17', { store });
 * const { output } = await handle.result;
 *
 * @throws {TroupeError} `journal.unknown`; `journal.held` while another process has it; `journal.corrupt`, `journal.version`;
 * `secret.missing` for
 * a secret that the journal refers to and that is not known here, or a key that is not; `secret.wrong-key`; and
 * `policy.missing` for a run whose calls a safety strategy judged, without `safety`;
 * {@link DeterminismError} (`journal.diverged`) where the agents do something else than the journal says.
 */
export const resume = <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  runId: string,
  options: ResumeOptions,
): Promise<RunHandle<Output, State>> => resumeWith(agent, runId, checkResume(options, `run '${runId}'`));

/** Resumes a run with options that were checked. Those of a caller that may start the run as well count only if it is started. */
export const resumeWith = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  runId: string,
  { store, ...rest }: Omit<RunOptions, 'store'> & { readonly store: JournalStore },
  setup?: Pick<JournaledSetup, 'random'>,
): Promise<RunHandle<Output, State>> => {
  const definition = journaledDefinition(agent);
  const taken = await whileWanted(acquireRun(store, runId, knownSecrets(definition, rest)), {
    signal: rest.signal,
    clock: rest.clock,
    timeMs: timeIn(rest),
    refusal: (why) => storeWithheld(runId, why),
    giveBack: ({ lease }) => releaseLate(store, lease),
  });
  return resumeTaken<Output, State>(definition, taken, rest, {
    makeTool: clientTool,
    ...setup,
  });
};

/** The time limit given by a caller that may start the run as well. */
const timeIn = ({ limits }: Pick<RunOptions, 'limits'>): number | undefined => limits?.budget?.timeMs;

/** The definition of an agent. @throws `agent.invalid` for an object that only looks like one. */
export const journaledDefinition = (agent: { readonly name: string }): Definition => {
  const definition = definitionOf(agent);
  if (definition !== undefined) return definition;
  const message = `Cannot resume a run of '${agent.name}' as it was not made by agent() or a team`;
  throw new TroupeError('agent.invalid', message);
};
