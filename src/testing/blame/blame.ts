import type { Agent } from '../../contracts/agents/agent.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import { recordingOf } from '../rehearsal/recorded-effects.ts';
import { Alternatives } from './alternatives.ts';
import type { BlameOptions } from './blame-options.ts';
import { checkBlame } from './blame-options.ts';
import type { Blame } from './blame-report.ts';
import { blameOf } from './blame-report.ts';
import { failedRun } from './failed-run.ts';
import { decisionKey } from './point.ts';
import { readPoints } from './read-points.ts';
import { wordsOfFork } from './words-of-fork.ts';
import { Trials } from './trials.ts';
import { TurningSearch } from './turning-search.ts';

/** Attempts at a point by default. */
const SAMPLES = 3;

/**
 * Finds the smallest change that turns a failed run into one that does not fail: which agent, in which step, with what it said and what it
 * should have said.
 *
 * Each answer of a model, result of a tool and message from outside is a candidate. Something else is tried in its place on a fork of a copy,
 * and the rest of the team goes on: what is asked as in the run is answered from the journal, for nothing, and only what follows from the
 * change is asked. Something else is what `repair` says, else the answer of another run of the store to an equal request, else, with `live`,
 * what the model says when it is asked again. Without `live` no model is asked. Nothing is written to the store.
 *
 * @example
 * const { changes } = await blame(desk, { store, runId: 'run-17', fails: ({ output }) => output !== '42', live: { budgetUsd: 1 } });
 * for (const { path, step, recorded, changed } of changes) console.log(path, step, recorded.text, changed.text);
 *
 * @throws {TroupeError} `input.invalid` for options that are none, and for a run that has not ended or does not fail; `journal.unknown`;
 * {@link DeterminismError} where the agent does something else than the run.
 */
export const blame = async <Input, Output, State>(
  agent: Agent<Input, Output, State>,
  given: BlameOptions,
): Promise<Blame> => {
  const options = checkBlame(given, `agent '${agent.name}'`);
  const { runId, repair, live = false, samples = SAMPLES } = options;
  const definition = journaledDefinition(agent);
  const run = await failedRun(definition, options);
  const recording = recordingOf(runId, run.records);
  const { points, callers, untried } = readPoints(runId, run.records, recording.cassette);
  const left = new Set<string>();
  const trials = new Trials(agent, run, options, {
    recording,
    digests: new Map(recording.answered.map(({ key, digest }) => [decisionKey(key), digest])),
    alternatives: await Alternatives.in(options, agent.name),
    repair,
    mayRead: typeof live === 'object' && live.tools === 'read',
    callers,
    left,
  });
  const search = new TurningSearch(trials, points, samples, (trial) =>
    wordsOfFork(trial, definition, options),
  );
  const found = await search.find();
  return blameOf({ run, points, trials, found, untried: [...untried, ...left] });
};
