import type { JournalStore } from '../../../contracts/journals/journal.ts';
import type { Suggestion, SuggestionType } from '../suggestion.ts';
import type { TrialOptions } from './trial-options.ts';
import type { TrialResult } from './trial-result.ts';
import { Trials } from './trials.ts';
import {
  withCached,
  withJoined,
  withModel,
  withoutBranch,
  withoutRetries,
  withoutUnused,
  withShorter,
  withSteady,
  withStronger,
} from './verdicts.ts';

/** The trial of a kind of suggestion, and what follows from its result. */
interface Proving {
  /** True where only a model that was given is asked. */
  readonly needsModel: boolean;
  /** Undefined where the change cannot be made on forks. */
  readonly attempt: (found: Suggestion, trials: Trials) => Promise<TrialResult | undefined>;
  readonly judge: (found: Suggestion, result: TrialResult, model: string) => Suggestion;
}

const provings: Readonly<Record<SuggestionType, Proving>> = {
  cache: { needsModel: true, attempt: (found, trials) => trials.cachedAnswers(found), judge: withCached },
  // That a tool only reads follows from no run.
  'cacheable-tool': { needsModel: false, attempt: () => Promise.resolve(undefined), judge: (found) => found },
  'faster-model': {
    needsModel: true,
    attempt: (found, trials) => trials.otherModel(found),
    judge: withModel,
  },
  'smaller-model': {
    needsModel: true,
    attempt: (found, trials) => trials.otherModel(found),
    judge: withModel,
  },
  'stronger-model': {
    needsModel: true,
    attempt: (found, trials) => trials.strongerModel(found),
    judge: withStronger,
  },
  'prompt-prefix': {
    needsModel: true,
    attempt: (found, trials) => trials.steadyBeginning(found),
    judge: withSteady,
  },
  'parallel-tools': {
    needsModel: false,
    attempt: (found, trials) => trials.joinedCalls(found),
    judge: withJoined,
  },
  'unused-tool': {
    needsModel: true,
    attempt: (found, trials) => trials.fewerTools(found),
    judge: withoutUnused,
  },
  'unread-context': {
    needsModel: false,
    attempt: (found, trials) => trials.shorterResults(found),
    judge: withShorter,
  },
  'futile-retry': {
    needsModel: true,
    attempt: (found, trials) => trials.noRetries(found),
    judge: withoutRetries,
  },
  'dead-branch': {
    needsModel: true,
    attempt: (found, trials) => trials.fewerMembers(found),
    judge: withoutBranch,
  },
};

/**
 * Tries what suggestions for the agent, and for members of its team, say on forks of its runs: a faster or a smaller model on those that were
 * completed, all else on those that show it. What no fork can try is returned as it is.
 */
export const proveByForks = async (
  found: readonly Suggestion[],
  store: JournalStore,
  options: TrialOptions,
): Promise<readonly Suggestion[]> => {
  const trials = new Trials(store, options);
  const proven: Suggestion[] = [];
  for (const each of found) proven.push(isProvenByForks(each) ? each : await prove(each, trials));
  return proven;
};

const isProvenByForks = ({ proven }: Suggestion): boolean => proven !== false && proven.by === 'forks';

const prove = async (found: Suggestion, trials: Trials): Promise<Suggestion> => {
  const { needsModel, attempt, judge } = provings[found.type];
  if (needsModel && trials.model === undefined) return found;
  const tried = await attempt(found, trials);
  if (tried === undefined) return found;
  // Another agent's runs may show it, and what is counted stays so.
  if (tried.runs === 0 && (found.proven !== false || found.agent !== trials.agent.name)) return found;
  return judge(found, tried, trials.modelName);
};
