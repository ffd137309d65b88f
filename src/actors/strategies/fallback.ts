import { errorData, TroupeError } from '../../contracts/errors/error.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { toJson } from '../../base/json/json.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { Decision } from '../../contracts/agents/decision.ts';
import type { Strategy } from '../../contracts/agents/strategy.ts';
import { wrapModel } from '../../models/wrap-model.ts';
import { wrapCall } from '../../models/wrap-call.ts';

/**
 * Tries strategies in order until one decides; the errors of the others are kept.
 *
 * Transient trouble (a rate limit, a network failure) does not count, as the runtime retries it. Fragments, critics and stop rules of all
 * strategies apply. Those that have an engine, ask for a form of the answer or review decisions stand beside it:
 * `strategy: [fallback(…), routing()]`.
 *
 * @example fallback(textCalls('json', { patience: 1 }), textCalls('react'))
 *
 * @throws {TroupeError} `agent.invalid` without a strategy, and for one that has to stand beside it; as a failed decision, with the code of the last error, and all of them as `details`.
 */
export const fallback = (...strategies: readonly Strategy[]): Strategy => {
  const [first] = strategies;
  if (first === undefined)
    throw new TroupeError('agent.invalid', 'Cannot fall back as there are no strategies');
  const alone = strategies.find(
    ({ engine, answer, review }) => engine !== undefined || answer !== undefined || review !== undefined,
  );
  if (alone !== undefined)
    throw new TroupeError(
      'agent.invalid',
      `Cannot fall back on '${alone.name}' as it does more than decide: write it beside, strategy: [fallback(…), …]`,
    );
  const limits = strategies.flatMap(({ maxRejections }) => maxRejections ?? []);
  const deciding = strategies.flatMap(({ decide }) => decide ?? []);
  return {
    name: `fallback: ${strategies.map(({ name }) => name).join(', ')}`,
    fragments: strategies.flatMap(({ fragments = [] }) => fragments),
    critics: strategies.flatMap(({ critics = [] }) => critics),
    stop: strategies.flatMap(({ stop = [] }) => stop),
    ...(limits.length === 0 ? {} : { maxRejections: Math.max(...limits) }),
    model: (model) => withFallback(model, strategies),
    ...(deciding.length === 0
      ? {}
      : {
          decide: async (view, own): Promise<Decision | undefined> => {
            const errors: ErrorData[] = [];
            for (const decide of deciding) {
              try {
                const choice = await decide(view, own);
                if (choice !== undefined) return choice;
              } catch (thrown) {
                if (view.signal.aborted) throw thrown;
                errors.push(errorData(thrown, 'agent.threw'));
              }
            }
            // A strategy without its own choice leaves it to the model, and so does the list.
            if (errors.length < deciding.length || deciding.length < strategies.length) return undefined;
            throw allFailed(errors);
          },
        }),
  };
};

const withFallback = (model: Model, strategies: readonly Strategy[]): Model => {
  const models = strategies.map((strategy) => strategy.model?.(model) ?? model);
  return wrapModel(model, (request, call) => inOrder(models, request, call));
};

const inOrder = async (
  models: readonly Model[],
  request: ModelRequest,
  call: ModelCall,
): Promise<ModelAnswer> => {
  const errors: ErrorData[] = [];
  for (const [index, model] of models.entries()) {
    try {
      return await model.answer(request, index === 0 ? call : withKey(call, `${call.key}/${index}`));
    } catch (thrown) {
      const error = errorData(thrown, 'model.failed');
      if ((error.retryable === 'yes' && error.code !== 'resource.open') || call.signal.aborted) throw thrown;
      errors.push(error);
    }
  }
  throw allFailed(errors);
};

/** The same call under another key: different requests must not share one. */
export const withKey = (call: ModelCall, key: string): ModelCall => wrapCall(call, { key });

const allFailed = (errors: readonly ErrorData[]): TroupeError => {
  const last = errors.at(-1);
  return new TroupeError(
    last?.code ?? 'agent.threw',
    `Cannot decide as every strategy failed: ${errors.map(({ message }) => message).join('; ')}`,
    { retryable: last?.retryable ?? 'no', details: toJson({ errors }) },
  );
};
