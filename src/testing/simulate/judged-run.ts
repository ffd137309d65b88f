import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { JournalStore } from '../../contracts/journals/journal.ts';
import { memoryStore } from '../../persistence/memory-store.ts';
import { PropertyMonitor } from '../../policy/properties/property-monitor.ts';
import { replay } from '../../runtime/journal/replay/replay.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import { resolveModel } from '../../models/model-registry.ts';
import type { EvaluatedAgent } from '../evals/eval-options.ts';
import { Choices } from './world/choices.ts';
import type { Decision } from './decision.ts';
import type { Finding } from './invariants.ts';
import { findingsIn, prefixFindings } from './invariants.ts';
import type { ExaminedSimulation, SimulatedAgent, SimulateOptions } from './simulate-options.ts';
import { castOf } from './world/simulated-cast.ts';
import type { RunEnd } from './run-end.ts';
import { SimulatedRun } from './simulated-run.ts';
import type { Choose } from './world/simulated-world.ts';
import { RUN_ID, SimulatedWorld } from './world/simulated-world.ts';
import type { SimulatedStory } from './story.ts';
import { silentFindings, stuckFinding } from './stuck.ts';
import { temperOf, unrests } from './world/temper.ts';

/** The status of a simulated run. */
export type SimulatedStatus = ExaminedSimulation['status'] | 'hung';

/** A simulated run, and what was found in it. */
export interface JudgedRun {
  readonly status: SimulatedStatus;
  readonly output: Json | undefined;
  readonly end: RunEnd;
  readonly findings: readonly Finding[];
  readonly decisions: readonly Decision[];
  readonly durationMs: number;
  story(finding?: string): SimulatedStory;
}

/** The decisions of a run: a seed's, or those of a script. */
export interface Deciding {
  readonly seed: number;
  readonly decisions?: readonly Decision[] | undefined;
  readonly choose?: Choose | undefined;
}

/** Makes simulated runs of one agent, and judges them. */
export class RunMaker {
  readonly #agent: SimulatedAgent;
  readonly #options: SimulateOptions;
  readonly #deaf = new Set<string>();

  constructor(agent: SimulatedAgent, options: SimulateOptions) {
    this.#agent = agent;
    this.#options = options;
  }

  async make(deciding: Deciding): Promise<JudgedRun> {
    const {
      unrest = unrests,
      inputs = ['go'],
      store: newStore = memoryStore,
      model,
      tools,
      run,
    } = this.#options;
    const choices = new Choices(deciding);
    const temper = temperOf(choices, unrest);
    const store = newStore();
    let agent: EvaluatedAgent | undefined;
    // The agent may want the clock, and the world knows its models.
    const own = {
      agent: () =>
        (agent ??= typeof this.#agent === 'function' ? this.#agent({ clock: world.own }) : this.#agent),
    };
    const world: SimulatedWorld = new SimulatedWorld({
      cast: () => castOf(journaledDefinition(own.agent())),
      choices,
      temper,
      store,
      tools,
      deaf: this.#deaf,
      ...(deciding.choose === undefined ? {} : { choose: deciding.choose }),
      ...(model === undefined ? {} : { model: typeof model === 'function' ? model() : resolveModel(model) }),
    });
    const [calm = 'go', ...others] = inputs;
    const input =
      choices.take('input', 'input', (dice) =>
        others.length === 0 ? undefined : inputs[dice.whole(inputs.length)],
      ) ?? calm;
    const end = await new SimulatedRun({
      agent: own.agent(),
      world,
      store,
      choices,
      temper,
      input,
      run,
    }).go();
    const findings = [
      ...(await this.#findings(end, own.agent(), { store, seed: deciding.seed })),
      ...world.executedTwice.map((tool) => ({
        rule: 'nothing doubled',
        reason: `${tool} was executed twice for one call, and must not be`,
      })),
    ];
    const { result, stuck, durationMs, events } = end;
    return {
      status: stuck === 'waiting' ? stuck : stuck === undefined ? (result?.status ?? 'failed') : 'hung',
      output: stuck === undefined && result?.output !== undefined ? toJson(result.output) : undefined,
      end,
      findings,
      decisions: choices.decisions,
      durationMs,
      story: (finding) => world.tale.story(events, finding),
    };
  }

  async #findings(
    end: RunEnd,
    agent: EvaluatedAgent,
    { store, seed }: { readonly store: JournalStore; readonly seed: number },
  ): Promise<readonly Finding[]> {
    const { result, events, earlier, error, stuck, stillWorking, leftByAgent, leftByRun } = end;
    const { properties = [] } = this.#options;
    const stuckAt = stuckFinding(end);
    const monitor = new PropertyMonitor(properties);
    const violations = events.flatMap((event) => monitor.take(event));
    const findings: Finding[] = [
      ...(stuckAt === undefined ? [] : [stuckAt]),
      ...silentFindings(end),
      ...violations.map(({ rule, reason, seq }) => ({ rule, reason: `${reason} (event ${seq})` })),
      ...prefixFindings(earlier, events),
      ...stillWorking.map((each) => ({
        rule: 'ends when aborted',
        reason: `${each} goes on after the run, although it was aborted`,
      })),
      ...leftTimers(leftByRun, 'the runtime'),
      ...leftTimers(leftByAgent, 'the agent'),
    ];
    if (result === undefined) {
      const why = stuck === undefined ? messageOf(error) : 'it does not end although it was aborted';
      return [...findings, { rule: 'one end', reason: why }];
    }
    return [
      ...findings,
      ...findingsIn(result),
      ...(await replayFindings(agent, store)),
      ...(await this.#judge({
        status: stuck === 'waiting' ? stuck : result.status,
        result,
        events,
        store,
        seed,
      })),
    ];
  }

  /** Asks the caller's own check. */
  async #judge(run: ExaminedSimulation): Promise<readonly Finding[]> {
    const { check } = this.#options;
    if (check === undefined) return [];
    const found = (reason: string): readonly Finding[] => [{ rule: 'check', reason }];
    try {
      const said = check(run);
      const verdict: unknown = isThenable(said) ? await said : said;
      if (verdict === false) return found('it is false');
      return typeof verdict === 'string' ? found(verdict) : [];
    } catch (thrown) {
      return found(messageOf(thrown));
    }
  }
}

const leftTimers = (left: readonly number[], whose: string): readonly Finding[] =>
  left.length === 0
    ? []
    : [
        {
          rule: 'no timer left',
          reason: `${whose} leaves ${left.length === 1 ? 'a timer' : `${left.length} timers`} behind, of ${left.join(', ')} ms`,
        },
      ];

/** Replays the journal of a run: the same events have to follow from it. */
const replayFindings = async (agent: EvaluatedAgent, store: JournalStore): Promise<readonly Finding[]> => {
  try {
    await replay(agent, RUN_ID, { store });
    return [];
  } catch (thrown) {
    if (thrown instanceof TroupeError) return [{ rule: 'replays', reason: thrown.message }];
    throw thrown;
  }
};
