import { resolve } from 'node:path';
import { isTroupeError, TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import type { Model } from '../../contracts/models/model.ts';
import { resolveModel } from '../../models/model-registry.ts';
import { fittingVersion } from '../../runtime/journal/versions/fitting-version.ts';
import { deskFor } from '../desk/desk-for.ts';
import { soFar } from '../desk/so-far.ts';
import type { Code } from '../usage/commands.ts';
import type { LoadedAgent, LoadedVersion } from '../load-agent.ts';
import { loadAgent, loadAgentNamed, loadVersions } from '../load-agent.ts';
import type { Performance } from '../perform.ts';
import { explainBudget, explainOwnBudget } from '../words/unpriced.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { oneLine } from '../../base/text/printable.ts';
import { nameOption } from '../usage/name-option.ts';
import { askLine } from '../terminal/ask-line.ts';
import { isAttended } from '../terminal/terminal.ts';
import type { CommandRecord } from './command-record.ts';
import { commandOf, keepCommand } from './command-record.ts';

/** The agent of a stored run, with its model. */
export interface AgentOfRun {
  readonly agent: LoadedAgent;
  /** In place of the agents' own. */
  readonly model: Model | undefined;
  readonly soFar?: Performance['soFar'];
  readonly explain: Performance['explain'];
  /** The label of the earlier version that it is; undefined for the current one. */
  readonly version?: string | undefined;
  /** The record by which it is found again. */
  readonly record: CommandRecord;
}

/**
 * Loads the agent of a stored run: from the module on the command line, else as the run's own record says.
 *
 * The record of an imported run names code chosen by somebody else: the person at the terminal is asked before it is
 * run, and the consent is remembered.
 *
 * @throws {TroupeError} `command.usage` if neither names a module, the module is gone, or imported code is not allowed.
 */
export const agentOfRun = async (
  { file, exportName, option = '--agent' }: Code,
  { store, runId }: { readonly store: JournalStore; readonly runId: string },
  session: Session,
): Promise<AgentOfRun> => {
  const known = file === undefined ? await commandOf(store, runId) : undefined;
  if (known?.imported === true) await assertWanted(known, { store, runId }, session);
  const record = known ?? (file === undefined ? undefined : recordOf(file, exportName, session));
  if (record === undefined)
    throw new TroupeError(
      'command.usage',
      `Cannot find the agent of run '${runId}' as it was not started by this command: name the module that exports its agent with --agent`,
      { runId },
    );
  const wanted = withModel(record, session.settings.model);
  const model = modelIn(wanted, session);
  if (wanted.command === 'run') {
    const chosen = exportName ?? wanted.exportName;
    const named = chosen === undefined ? (await store.entry(runId))?.agent : undefined;
    const { folder } = session.terminal;
    const loading =
      named === undefined
        ? loadAgent(wanted.file, folder, chosen)
        : loadAgentNamed(named, wanted.file, folder);
    const agent = await loading.catch((thrown: unknown) => {
      if (file !== undefined) throw nameOption(thrown, ['command.usage'], option);
      const advice = 'if it has moved, name it with --agent FILE';
      throw nameOption(thrown, ['command.usage'], 'the command that started the run', advice);
    });
    const versions = await versionsOf(agent, wanted.file, session);
    const fitting = await versionFor(agent, versions, runId, { store, ...(model && { model }) });
    const version = versions.find((each) => each.agent === fitting)?.label;
    return { agent: fitting, version, model, explain: explainOwnBudget, record: wanted };
  }
  const { desk } = deskFor(wanted, session.signal);
  const asked = model ?? modelOf(session);
  const explain = (thrown: unknown): unknown => explainBudget(thrown, wanted.budget, asked);
  // Its input is text only, and its journal has that.
  return { agent: desk as LoadedAgent, model: asked, soFar, explain, record: wanted };
};

/** The earlier versions of an agent that its module exports. */
const versionsOf = async (
  { name }: LoadedAgent,
  file: string,
  { terminal }: Session,
): Promise<readonly LoadedVersion[]> =>
  (await loadVersions(file, terminal.folder)).filter(({ agent }) => agent.name === name);

/** The version of an agent that a run goes on under; where none fits, the agent, by which the command says why. */
const versionFor = async (
  agent: LoadedAgent,
  versions: Awaited<ReturnType<typeof versionsOf>>,
  runId: string,
  options: Parameters<typeof fittingVersion>[3],
): Promise<LoadedAgent> => {
  if (versions.length === 0) return agent;
  try {
    const { version } = await fittingVersion(agent, versions, runId, options);
    return versions.find((each) => each.agent === version?.agent)?.agent ?? agent;
  } catch (thrown) {
    if (!isTroupeError(thrown)) throw thrown;
    return agent;
  }
};

/** The model of the command line, else that of the command that started the run. */
const modelIn = ({ model }: CommandRecord, session: Session): Model | undefined => {
  if (session.settings.model !== undefined) return modelOf(session);
  return model === undefined ? undefined : resolveModel(model, session.terminal.environment);
};

/** Asks the person at the terminal whether the code of an imported run may be run here. */
const assertWanted = async (
  { imported: _imported, ...record }: CommandRecord,
  { store, runId }: { readonly store: JournalStore; readonly runId: string },
  session: Session,
): Promise<void> => {
  const named = agentNameOf(record);
  const isAsked = isAttended(session.terminal) && !session.settings.json;
  const said = isAsked
    ? await askLine(
        [`Run ${oneLine(runId, 80)} was imported: ${named}`],
        'Use it? [y/N]',
        session.signal,
        session,
      )
    : '';
  if (/^(?:y|yes)$/i.test(said)) return keepCommand(store, runId, record);
  const message = `Cannot load the agent of run '${runId}' as it was imported and nobody has allowed the code it names: ${named}. Name the module that exports its agent with --agent, or confirm at a terminal`;
  throw new TroupeError('command.usage', message, { runId });
};

const agentNameOf = (record: CommandRecord): string =>
  record.command === 'run'
    ? `it runs the module ${oneLine(record.file, 400)}`
    : `it reads the folders ${oneLine([record.folders].flat().join(', '), 400)}`;

/** The command that resumes a run whose module is named here. */
export const recordOf = (
  file: string,
  exportName: string | undefined,
  { terminal }: Session,
): CommandRecord => ({
  v: 1,
  command: 'run',
  file: resolve(terminal.folder, file),
  ...(exportName === undefined ? {} : { exportName }),
});

const withModel = (record: CommandRecord, model: string | undefined): CommandRecord =>
  model === undefined ? record : { ...record, model };
