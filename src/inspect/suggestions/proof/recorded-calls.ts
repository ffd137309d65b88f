import { canonical } from '../../../base/json/canonical.ts';
import { toJson } from '../../../base/json/json.ts';
import { platformSha256 } from '../../../base/platform-sha256.ts';
import type { ErrorData } from '../../../contracts/errors/error-data.ts';
import type { ModelAnswer, ModelRequest } from '../../../contracts/models/model.ts';
import type { WholeRequest } from '../../../runtime/log/sent-requests.ts';
import type { CallFact, FailureFact, RunFacts } from '../run-facts.ts';
import { callsIn } from '../run-facts.ts';

/** A recorded model call with its outcome, which is given again to an equal one. */
export interface RecordedCall {
  readonly key: string;
  readonly model: string;
  readonly ms: number;
  readonly outcome: { readonly answer: ModelAnswer } | { readonly error: ErrorData };
}

/** The model calls of a run whose requests and outcomes are on record, in the order in which they were asked. */
export const recordedCalls = (
  run: RunFacts,
  outcomeOf: (call: CallFact) => Pick<RecordedCall, 'ms' | 'outcome'> | undefined = sameOutcome,
  errorOf: (failure: FailureFact) => ErrorData | undefined = ({ error }) => error,
): readonly RecordedCall[] => {
  const answered = callsIn(run).map((call) => ({ call, given: outcomeOf(call) }));
  const failed = run.failures.map((call) => {
    const error = errorOf(call);
    return { call, given: error && { ms: call.ms, outcome: { error } } };
  });
  return [...answered, ...failed]
    .toSorted((one, other) => one.call.startedAt - other.call.startedAt)
    .flatMap(({ call: { agent, model, request }, given }) =>
      request === undefined || given === undefined
        ? []
        : [{ key: requestKey(agent, asSent(request)), model, ...given }],
    );
};

const sameOutcome = ({ ms, answer }: CallFact): Pick<RecordedCall, 'ms' | 'outcome'> | undefined =>
  answer && { ms, outcome: { answer } };

/** The outcome that a cache gives: the answer of an earlier call, for nothing. */
export const cachedOutcome = ({ ms, answer }: CallFact): ReturnType<typeof sameOutcome> => {
  if (answer === undefined) return undefined;
  const cached = { usage: answer.usage, durationMs: ms };
  const usage = { input: 0, output: 0, billedUsd: 0 };
  return { ms: 0, outcome: { answer: { ...answer, usage, cached } } };
};

/** The part of a request that a model answers. */
type Sent = Pick<ModelRequest, 'instructions' | 'tools' | 'output' | 'toolChoice' | 'settings'> & {
  readonly messages: readonly unknown[];
};

const asSent = ({ instructions, tools, output, toolChoice, settings, messages }: WholeRequest): Sent => ({
  instructions,
  tools,
  output,
  toolChoice,
  settings,
  messages: messages.map(({ turn }) => turn),
});

/** Equal for equal requests of an agent: settings may contain secrets. */
const requestKey = (agent: string, sent: Sent): string =>
  platformSha256(canonical(toJson({ agent, ...sent })));

/** Gives each recorded outcome once, to the equal call that comes next. */
export class RecordedOutcomes {
  readonly #byKey = new Map<string, RecordedCall[]>();

  constructor(calls: readonly RecordedCall[]) {
    for (const call of calls) {
      const equal = this.#byKey.get(call.key);
      if (equal === undefined) this.#byKey.set(call.key, [call]);
      else equal.push(call);
    }
  }

  /** The next outcome of an equal call: of the same model, if it was asked; undefined where none is left. */
  take(agent: string, model: string, request: ModelRequest): RecordedCall | undefined {
    const { instructions, tools, output, toolChoice, settings, messages } = request;
    const sent = { instructions, tools, output, toolChoice, settings, messages: messages.toArray() };
    const equal = this.#byKey.get(requestKey(agent, sent)) ?? [];
    const own = equal.findIndex((call) => call.model === model);
    // An agent without a model of its own is tried with another one.
    const [found] = equal.splice(Math.max(0, own), 1);
    return found;
  }
}
