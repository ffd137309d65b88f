import { errorData } from '../../contracts/errors/error.ts';
import type { RunEntry } from '../../contracts/journals/journal.ts';
import { DeterminismError } from '../../runtime/journal/replay/determinism-error.ts';
import type { AgentVersion } from '../../runtime/journal/versions/fitting-version.ts';
import { fittingVersion } from '../../runtime/journal/versions/fitting-version.ts';
import { isHeldFor } from '../../runtime/journal/versions/open-calls.ts';
import { exitCode } from '../exit-code.ts';
import type { LoadedAgent } from '../load-agent.ts';
import { loadAgents, loadVersions } from '../load-agent.ts';
import { byName } from '../serving/by-name.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { withStore } from '../stored/open-store.ts';
import { jsonLine } from '../stored/run-words.ts';
import type { UpgradeCommand } from '../usage/commands.ts';
import { nameOption } from '../usage/name-option.ts';
import type { CheckedRun } from './checked-runs.ts';
import { checkedLines } from './checked-runs.ts';

/** `troupe upgrade --check`: says which of the runs under way a new version of their agents would resume. */
export const upgrade = (wanted: UpgradeCommand, session: Session): Promise<number> =>
  withStore(session, async ({ store }) => {
    const { terminal, settings } = session;
    const { file, exportName } = wanted;
    const loaded = await loadAgents(file, terminal.folder, exportName).catch((thrown: unknown) => {
      throw nameOption(thrown, ['command.usage'], '--check');
    });
    const agents = byName(loaded);
    const versions = await loadVersions(file, terminal.folder);
    const model = settings.model === undefined ? {} : { model: modelOf(session) };
    const checked: CheckedRun[] = [];
    const others: string[] = [];
    for (const entry of (await store.list({ status: ['running', 'waiting'] })).toReversed()) {
      if (session.signal.aborted) return exitCode.aborted;
      const agent = agents[entry.agent];
      if (agent === undefined) others.push(entry.agent);
      else {
        const earlier = versions.filter((each) => each.agent.name === entry.agent);
        checked.push(await checkRun(agent, earlier, entry, { store, ...model }));
      }
    }
    // Of runs of others alone nothing is known: perhaps their agents have other names now. Who names an export asks about that one.
    const isAll =
      checked.every(({ verdict }) => verdict === 'goes on') &&
      !(exportName === undefined && checked.length === 0 && others.length > 0);
    if (settings.json) for (const each of checked) terminal.stdout.write(jsonLine(each));
    else if (!settings.quiet)
      for (const line of checkedLines(checked, others, session)) terminal.stdout.write(`${line}\n`);
    return isAll ? exitCode.answered : exitCode.unanswered;
  });

const checkRun = async (
  agent: LoadedAgent,
  versions: readonly AgentVersion[],
  { runId, agent: name, status }: RunEntry,
  options: Parameters<typeof fittingVersion>[3],
): Promise<CheckedRun> => {
  const run = { runId, agent: name, status };
  try {
    const { version, calls } = await fittingVersion(agent, versions, runId, options);
    if (calls.length === 0) return { ...run, verdict: 'goes on', version: version?.label };
    const isHeld = calls.some(isHeldFor);
    return { ...run, verdict: isHeld ? 'held' : 'call fails', calls };
  } catch (thrown) {
    if (!(thrown instanceof DeterminismError))
      return { ...run, verdict: 'failed', error: errorData(thrown, 'internal', { runId }) };
    const { path, step, expected, found } = thrown.divergence;
    return { ...run, verdict: 'held', difference: { path, step, recorded: expected, found } };
  }
};
