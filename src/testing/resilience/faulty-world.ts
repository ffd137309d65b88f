import { TroupeError } from '../../contracts/errors/error.ts';
import type { Model, ModelAnswer, ModelCall } from '../../contracts/models/model.ts';
import { modelAnswer } from '../../contracts/models/model.ts';
import type { SharedResource } from '../../contracts/runs/run-options.ts';
import { keyInRun } from '../../contracts/runs/effect.ts';
import type { ExecutableCall, ToolExecutor } from '../../contracts/tools/executor.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import type { RecordedEffects } from '../rehearsal/recorded-effects.ts';
import type { Clock } from '../../base/clock.ts';
import type { DrivenClock } from './driven-clock.ts';
import type { FaultKind, FaultPlan } from './fault.ts';

/** Time that a slow tool takes longer, and that a provider asks to wait, in ms. */
const WAIT_MS = 30_000;

const GARBAGE = '\u{fffd}}{"\u{fffd}\u{fffd}, <<<\u{fffd}';

/** The clock of a world, which genuine work holds. */
type WorldClock = Pick<Clock, 'setTimeout'> & Pick<DrivenClock, 'during'>;

/** The times that each call was executed whose tool must not be executed twice. */
export type Executions = Map<string, { readonly tool: string; times: number }>;

/** The world of one run: its models and tools, with the faults of a plan, and what was done in it. */
export class FaultyWorld {
  readonly #clock: WorldClock;
  readonly #recorded: RecordedEffects | undefined;
  readonly #plan: FaultPlan;
  readonly models: string[] = [];
  readonly tools: string[] = [];
  /** Tools that are not repeated: twice may do harm. */
  readonly unrepeatable = new Set<string>();
  readonly #executed: Executions;

  /** Several processes of one run share what was executed. */
  constructor(
    clock: WorldClock,
    plan: FaultPlan,
    recorded?: RecordedEffects,
    executed: Executions = new Map(),
  ) {
    this.#clock = clock;
    this.#plan = plan;
    this.#recorded = recorded;
    this.#executed = executed;
  }

  /** Tools that must not be executed twice for the same call, and were. */
  get executedTwice(): readonly string[] {
    return [...this.#executed.values()].filter(({ times }) => times > 1).map(({ tool }) => tool);
  }

  readonly resource: SharedResource = {
    around: (own, use) =>
      wrapModel(own, (request, call) => {
        const name = `${own.provider}:${own.id}`;
        this.models.push(name);
        const ask = (): ModelAnswer | Promise<ModelAnswer> => {
          const key = keyInRun({ key: call.key, runId: use?.runId ?? '' });
          // A promise in any case, as of a model that is asked: the run then writes as often as that one did.
          return this.#clock.during(
            () => this.#recorded?.answer(name, request, key) ?? own.answer(request, call),
            name,
          );
        };
        const fault = this.#plan.model(this.models.length, name, call.key);
        return fault === undefined ? ask() : this.#failModel(fault, own, call, ask);
      }),
  };

  readonly execute: ToolExecutor = (call) => {
    this.tools.push(call.tool);
    if (!call.facts.idempotent) this.unrepeatable.add(call.tool);
    const fault = this.#plan.tool(this.tools.length, call);
    return fault === undefined ? this.#run(call) : this.#failTool(fault, call);
  };

  #run(call: ExecutableCall): unknown {
    const { facts, context, tool, run } = call;
    if (!facts.idempotent) {
      const name = `${context.path}#${context.step}.${context.callId}.${context.attempt}`;
      const known = this.#executed.get(name);
      if (known === undefined) this.#executed.set(name, { tool, times: 1 });
      else known.times += 1;
    }
    return this.#clock.during(() => run(), tool);
  }

  #failModel(
    kind: FaultKind,
    own: Model,
    { signal }: ModelCall,
    ask: () => ModelAnswer | Promise<ModelAnswer>,
  ): ModelAnswer | Promise<ModelAnswer> {
    switch (kind) {
      case 'model-unavailable':
      case 'model-down':
        throw new TroupeError('model.unavailable', `Cannot answer as ${own.id} is down: 503 (injected)`, {
          retryable: 'yes',
          status: 503,
        });
      case 'model-rate-limited':
      case 'model-limited':
        throw new TroupeError('model.rate-limited', `Cannot answer as ${own.id} is busy: 429 (injected)`, {
          retryable: 'yes',
          status: 429,
          retryAfterMs: WAIT_MS,
        });
      case 'model-key-refused':
        throw new TroupeError('model.auth', `Cannot answer as ${own.id} refuses the key: 401 (injected)`, {
          status: 401,
        });
      case 'model-malformed':
        throw new TroupeError(
          'model.malformed',
          `Cannot read the answer of ${own.id}: ${GARBAGE} (injected)`,
          {
            retryable: 'yes',
          },
        );
      case 'model-silent':
      case 'model-gone':
        return untilAborted(signal);
      case 'model-empty':
        return modelAnswer({ text: '' });
      case 'model-garbled':
        return modelAnswer({ text: GARBAGE });
      case 'model-refusal':
        return modelAnswer({ text: '', refusal: 'I cannot help with that. (injected)', finish: 'refusal' });
      case 'model-truncated':
        return Promise.resolve(ask()).then((answer) => ({
          ...answer,
          text: answer.text.slice(0, Math.ceil(answer.text.length / 2)),
          finish: 'length',
        }));
      default:
        return ask();
    }
  }

  #failTool(kind: FaultKind, call: ExecutableCall): unknown {
    const { tool, context } = call;
    switch (kind) {
      case 'tool-unavailable':
        throw new TroupeError(
          'tool.failed',
          `Cannot use '${tool}' as it is down for a moment: 503 (injected)`,
          {
            retryable: 'yes',
          },
        );
      case 'tool-throws':
      case 'tool-broken':
        throw new Error('It broke. (injected)');
      case 'tool-silent':
      case 'tool-gone':
        return untilAborted(context.signal);
      case 'tool-garbage':
        return GARBAGE;
      case 'tool-slow':
        return new Promise((resolve) => {
          this.#clock.setTimeout(() => {
            resolve(this.#run(call));
          }, WAIT_MS);
        });
      default:
        return this.#run(call);
    }
  }
}

/** Never settles but when it is aborted, as a connection does that nobody answers. */
const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => {
      reject(new Error('The connection was closed.'));
    });
  });
