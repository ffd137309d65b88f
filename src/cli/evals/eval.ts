import type { Comparison } from '../../testing/evals/comparison.ts';
import type { Eval } from '../../testing/evals/define-eval.ts';
import type { Candidate } from '../../testing/evals/eval-options.ts';
import type { EvalReport } from '../../testing/evals/eval-report.ts';
import { exitCode } from '../exit-code.ts';
import { loadAgent } from '../load-agent.ts';
import type { Session } from '../session.ts';
import { modelOf } from '../session.ts';
import { withStore, withStoreMade } from '../stored/open-store.ts';
import { jsonLine } from '../stored/run-words.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { spinner } from '../terminal/spinner.ts';
import type { EvalCommand } from './eval-command.ts';
import { nameOption } from '../usage/name-option.ts';
import { comparisonLines } from './comparison-words.ts';
import { evalPage } from './eval-page.ts';
import { evalLines } from './eval-words.ts';
import { junitText } from './junit.ts';
import { loadEvals } from './load-evals.ts';
import { assertPlace, writeReport } from './write-report.ts';

/** `troupe eval`: runs evals, grades stored runs by them, or compares candidates. Exit code 1 where a gate fails, or the candidate is worse. */
export const evalFile = async (wanted: EvalCommand, session: Session): Promise<number> => {
  const { terminal, signal } = session;
  assertPlace('--junit', wanted.junit, session);
  assertPlace('--html', wanted.html, session);
  const evals = await loadEvals(wanted, terminal.folder);
  const results = wanted.candidate === undefined ? await grade(evals, wanted, session) : [];
  const comparisons = wanted.candidate === undefined ? [] : await compare(evals, wanted, session);
  const reports = [...results, ...comparisons.map(({ candidate }) => candidate)];
  await writeReport('--junit', wanted.junit, () => junitText(reports), session);
  await writeReport('--html', wanted.html, () => evalPage(results, comparisons), session);
  if (signal.aborted) return exitCode.aborted;
  const isBad =
    reports.some(({ verdict }) => verdict === 'failed') ||
    comparisons.some(({ finding }) => finding === 'worse');
  return isBad ? exitCode.unanswered : exitCode.answered;
};

const grade = async (
  evals: readonly Eval[],
  { isOver, judges, tries, concurrency, limit, budget: budgetUsd }: EvalCommand,
  session: Session,
): Promise<readonly EvalReport[]> => {
  const { settings, signal } = session;
  const model = settings.model === undefined ? {} : { model: modelOf(session) };
  const reports: EvalReport[] = [];
  for (const each of evals) {
    const report = await (isOver
      ? withStore(session, ({ store }) => each.grade({ store, limit, judges, signal }))
      : inStore(session, (store) =>
          whileShown(each.name, session, (onProgress) =>
            each.run({ ...model, ...store, tries, concurrency, limit, budgetUsd, signal, onProgress }),
          ),
        ));
    reports.push(report);
    print(report, evalLines(report, session), session);
  }
  return reports;
};

const compare = async (
  evals: readonly Eval[],
  { candidate, isOver, judges, tools, tries, concurrency, limit, budget: budgetUsd }: EvalCommand,
  session: Session,
): Promise<readonly Comparison[]> => {
  const { terminal, settings, signal } = session;
  const other = candidate && (await candidateOf(candidate.file, candidate.exportName, terminal.folder));
  const model = settings.model === undefined ? {} : { model: modelOf(session) };
  const found: Comparison[] = [];
  for (const each of evals) {
    const shared = { limit, budgetUsd, signal };
    const comparison = await (isOver
      ? withStore(session, ({ store }) =>
          each.compare({ ...other, ...model }, { ...shared, over: store, tools, judges }),
        )
      : inStore(session, (store) =>
          whileShown(each.name, session, (onProgress) =>
            each.compare({ ...other, ...model }, { ...shared, ...store, tries, concurrency, onProgress }),
          ),
        ));
    found.push(comparison);
    print(comparison, comparisonLines(comparison, session), session);
  }
  return found;
};

const candidateOf = async (
  file: string,
  exportName: string | undefined,
  folder: string,
): Promise<Candidate> => {
  const agent = await loadAgent(file, folder, exportName).catch((thrown: unknown) => {
    throw nameOption(thrown, ['command.usage'], '--candidate');
  });
  return { agent, name: exportName === undefined ? file : `${file}#${exportName}` };
};

/** Runs of an eval are kept where a store is named, and nowhere else: the user's own is for what they asked. */
const inStore = <T>(
  session: Session,
  work: (kept: { readonly store?: JournalStore }) => Promise<T>,
): Promise<T> =>
  session.settings.store === undefined ? work({}) : withStoreMade(session, ({ store }) => work({ store }));

const whileShown = async <T>(
  name: string,
  session: Session,
  work: (onProgress: (ended: number, of: number) => void) => Promise<T>,
): Promise<T> => {
  const progress = { words: `Running ${name}` };
  const end = spinner(() => progress.words, session);
  try {
    return await work((ended, of) => {
      progress.words = `Running ${name}: ${ended} of ${of}`;
    });
  } finally {
    end();
  }
};

const print = (found: object, lines: readonly string[], { terminal, settings }: Session): void => {
  if (settings.json) terminal.stdout.write(jsonLine(found));
  else if (!settings.quiet) for (const line of lines) terminal.stdout.write(`${line}\n`);
};
