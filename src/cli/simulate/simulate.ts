import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { Script } from '../../testing/simulate/decision.ts';
import { parseScriptText } from '../../testing/simulate/decision.ts';
import { simulate } from '../../testing/simulate/simulate.ts';
import type { SimulationReport } from '../../testing/simulate/simulation-report.ts';
import { assertPlace, writeReport } from '../evals/write-report.ts';
import { exitCode } from '../exit-code.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { jsonLine } from '../stored/run-words.ts';
import { spinner } from '../terminal/spinner.ts';
import { loadSimulation } from '../verify/load-properties.ts';
import type { SimulateCommand } from './simulate-command.ts';
import { simulationLines } from './simulate-words.ts';
import { simulationPage } from './simulation-page.ts';

/** `troupe simulate`: runs an agent in simulated worlds, and says what failed in which, and by what script. Exit code 1 where something did. */
export const simulateModule = async (wanted: SimulateCommand, session: Session): Promise<number> => {
  const { terminal, settings, signal } = session;
  const { seed, runs, days, orders, write, html } = wanted;
  assertPlace('--html', html, session);
  assertPlace('--write', write, session);
  const script = wanted.script === undefined ? undefined : readScript(wanted.script, terminal.folder);
  const { agent, name, properties, options } = await loadSimulation(wanted, terminal.folder);
  const progress = { words: `Simulating ${name}` };
  const end = spinner(() => progress.words, session);
  const report = await simulate(agent, {
    ...options,
    properties,
    signal,
    orders,
    script,
    ...(seed === undefined ? {} : { seed }),
    ...(runs === undefined ? {} : { runs }),
    ...(days === undefined ? {} : { days }),
    ...(settings.model === undefined ? {} : { model: modelOf(session) }),
    onProgress: (made, failures) => {
      progress.words = `Simulating ${name}: ${made} runs${failures === 0 ? '' : `, ${failures} failures`}`;
    },
  }).finally(end);
  if (settings.json) terminal.stdout.write(jsonLine(plainReport(report)));
  else if (!settings.quiet)
    for (const line of simulationLines(report, wanted, session)) terminal.stdout.write(`${line}\n`);
  const [failure] = report.failures;
  const failing = failure?.script ?? report.orders?.outcomes[1]?.script;
  if (failing !== undefined)
    await writeReport('--write', write, () => `${JSON.stringify(failing, undefined, 2)}\n`, session);
  await writeReport('--html', html, () => simulationPage(report), session);
  if (signal.aborted) return exitCode.aborted;
  return report.verdict === 'holds' ? exitCode.answered : exitCode.unanswered;
};

/** The events of a story are in the journal of its run, which its script makes again. */
const plainReport = (report: SimulationReport): object => {
  const plain = <Told extends Pick<SimulationReport['failures'][number], 'story'>>({
    story,
    ...told
  }: Told): object => ({
    ...told,
    story: { ...story, moves: story.moves.map(({ events: _events, ...move }) => move) },
  });
  const { failures, orders, ...all } = report;
  return {
    ...all,
    failures: failures.map(plain),
    ...(orders === undefined ? {} : { orders: { ...orders, outcomes: orders.outcomes.map(plain) } }),
  };
};

/** @throws {TroupeError} `command.usage` */
const readScript = (file: string, folder: string): Script => {
  try {
    return parseScriptText(readFileSync(resolve(folder, file), 'utf8'));
  } catch (thrown) {
    throw new TroupeError(
      'command.usage',
      `Cannot read --script ${file} as it is no script: ${messageOf(thrown)}`,
      {
        cause: thrown,
      },
    );
  }
};
