import type { Clock } from '../../base/clock.ts';
import { TroupeError, isTroupeError } from '../../contracts/errors/error.ts';
import type { Model, ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { ModelUse } from '../../contracts/runs/run-options.ts';
import { wrapCall } from '../wrap-call.ts';
import { wrapModel } from '../wrap-model.ts';
import type { Border } from './border.ts';
import type { TrustedGuard } from './consult-guard.ts';
import { guardAnswer } from './guard-answer.ts';
import type { GuardPlace } from './guard.ts';
import { InputGuards } from './guard-request.ts';
import { HeldAnswer } from './held-answer.ts';

/** Wraps a model by the guards of what it is sent and of what it answers; the same model if there are none. */
export const guardedModel = (
  model: Model,
  guards: readonly TrustedGuard[],
  clock: Clock,
  use?: ModelUse,
): Model => {
  const of = (place: GuardPlace) => guards.filter(({ on }) => on.includes(place));
  const [input, output, toolInput] = [of('input'), of('output'), of('tool.input')];
  if (input.length + output.length + toolInput.length === 0) return model;
  const inputs = new InputGuards(input);
  return wrapModel(model, async (request, call) => {
    const border = borderOf(call, clock, use);
    const sent = await inputs.request(request, { ...border, place: 'input' });
    const held = new HeldAnswer({ output, toolInput }, border, call, isHeldWhole(request, inputs));
    const answer = await askInParallel(
      (signal) =>
        model.answer(
          sent,
          wrapCall(call, {
            delta: (delta) => {
              held.hear(delta);
            },
            signal,
          }),
        ),
      () => inputs.attend(sent, { ...border, place: 'input' }),
      call,
    );
    try {
      const passed = await guardAnswer(answer, request, { output, toolInput }, border);
      await held.end(passed.text, passed.text !== answer.text);
      return passed;
    } catch (thrown) {
      if (!isTroupeError(thrown, 'guardrail.blocked')) throw thrown;
      // The answer was paid for.
      const { code, message, details } = thrown.data;
      throw new TroupeError(code, message, { retryable: 'no', details, spent: answer.usage });
    }
  });
};

/** A structured answer is judged by its value, and nothing is shown before an input has passed. */
const isHeldWhole = ({ output }: ModelRequest, { areParallel }: InputGuards): boolean =>
  areParallel || output !== undefined;

const borderOf = (call: ModelCall, clock: Clock, use?: ModelUse): Border => ({
  place: 'output',
  key: call.key,
  signal: () => call.signal,
  clock,
  agent: use?.agent,
  runId: use?.runId,
  emit: use?.emit,
  ask: call.ask,
});

/** Asks the model while the guards of its input judge; the model is aborted when they block. */
const askInParallel = async (
  ask: (signal: () => AbortSignal) => ModelAnswer | Promise<ModelAnswer>,
  attend: () => Promise<void>,
  call: ModelCall,
): Promise<ModelAnswer> => {
  const over = new AbortController();
  try {
    const attending = attend();
    // Handled below, also where the model throws at once.
    attending.catch(() => undefined);
    const answering = Promise.resolve(ask(() => AbortSignal.any([call.signal, over.signal])));
    const [answer] = await Promise.all([answering, attending]);
    return answer;
  } catch (thrown) {
    over.abort(thrown);
    throw thrown;
  }
};
