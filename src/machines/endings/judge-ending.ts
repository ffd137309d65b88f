import { freezeJson } from '../../base/json/freeze-json.ts';
import type { EndingVerdict, EndingView } from '../../contracts/agents/ending.ts';
import type { EventBody } from '../../contracts/events/event.ts';
import type { Json } from '../../base/json/json.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { AgentContext, Candidate, End, ReviewState } from '../agent/agent-context.ts';
import { failure, threw } from '../agent/agent-end.ts';
import { textOf } from '../agent/conversation.ts';
import { readVerdict } from './read-verdict.ts';
import { rulesInForce } from '../in-force.ts';

/** The outcome of a step: changes to the run, notes to the model, and events. */
export interface StepOutcome {
  readonly review?: ReviewState;
  readonly end?: End;
  /** Note to the model after the step. */
  readonly note?: string;
  readonly notices?: readonly EventBody[];
  readonly pauseMs?: number;
}

/** Handles the agent's answer: it ends the work, unless the ending policy wants more of a model. */
export const judgeAnswer = (context: AgentContext, answer: Json): StepOutcome => {
  const { ends } = rulesInForce();
  const { review, cycle } = context;
  if (ends === undefined || cycle.turn === null) return { review: { ...review, candidate: { answer } } };
  try {
    const text = textOf(answer);
    const verdict = readVerdict(ends.answered(viewOf(context, { answer, text })));
    return follow(context, review, verdict, ends.name, { answer, text });
  } catch (thrown) {
    return { end: threw(context, thrown, `policy of ending '${ends.name}'`, 'REDUCE') };
  }
};

/** Handles calls that did not end the work: the ending policy may comment on them. */
export const judgeCalls = (
  context: AgentContext,
  review: ReviewState,
  results: readonly ToolResult[],
): StepOutcome => {
  const { ends } = rulesInForce();
  if (ends === undefined) return {};
  const worked = review.watch.stuck > 0 && results.some(({ ok }) => ok);
  const moved = worked ? { ...review, watch: { ...review.watch, stuck: 0 } } : review;
  try {
    const said = ends.acted?.(viewOf({ ...context, review: moved }, { results }));
    if (said !== undefined) return follow(context, moved, readVerdict(said), ends.name, undefined);
    return worked ? { review: moved } : {};
  } catch (thrown) {
    return { end: threw(context, thrown, `policy of ending '${ends.name}'`, 'REDUCE') };
  }
};

const viewOf = (
  { run, step, state, tally, review: { watch } }: AgentContext,
  found: Partial<Pick<EndingView, 'answer' | 'text' | 'results'>>,
): EndingView =>
  freezeJson({
    agent: run.agent,
    step,
    phase: run.phase ?? null,
    state,
    tally,
    answer: null,
    text: '',
    results: [],
    said: watch.said,
    sentBack: watch.sentBack,
    stuck: watch.stuck,
    spoken: watch.spoken,
    isLast: watch.stage === 'wrappingUp',
    ...found,
  });

/** The answer; undefined after calls. */
type Given = { readonly answer: Json; readonly text: string } | undefined;

const follow = (
  context: AgentContext,
  review: ReviewState,
  verdict: EndingVerdict,
  policy: string,
  given: Given,
): StepOutcome => {
  const { watch } = review;
  const answer = given?.answer ?? null;
  switch (verdict.kind) {
    case 'end': {
      const fitted = fit(verdict.answer ?? answer, given);
      // The model gets the issues, as for its own invalid answer.
      if (!fitted.ok) return goOn(review, { kind: 'goOn', note: unfitNote(fitted.problem) }, given);
      return { review: { ...review, candidate: { answer: fitted.answer } } };
    }
    case 'autoComplete': {
      const fitted = fit(verdict.answer, given);
      if (!fitted.ok) {
        const note = `its answer does not fit its schema: ${fitted.problem}`;
        const stopReason = { kind: 'unresolved', by: policy, note, times: watch.sentBack } as const;
        return {
          review: { ...review, candidate: { answer: verdict.answer } },
          end: { status: 'stopped', stopReason },
        };
      }
      const candidate: Candidate = { answer: fitted.answer, autoCompleted: true };
      const notice = {
        type: 'agent.auto-completed',
        text: textOf(verdict.answer),
        times: watch.sentBack,
      } as const;
      return { review: { ...review, candidate }, notices: [notice] };
    }
    case 'goOn':
      return goOn(review, verdict, given);
    case 'giveUp': {
      const { by, note } = verdict;
      const stopReason = { kind: 'unresolved', by, note, times: watch.sentBack } as const;
      return {
        review: given === undefined ? review : { ...review, candidate: { answer } },
        end: { status: 'stopped', stopReason },
      };
    }
    case 'fail': {
      const { runId, path } = context.run;
      const where = { runId, path, step: context.step, phase: 'REDUCE' };
      return { end: failure({ ...verdict.error, ...where }) };
    }
  }
};

type Fitted = { readonly ok: true; readonly answer: Json } | { readonly ok: false; readonly problem: string };

/** Parses an answer by the output schema; the model's own was parsed when it arrived. */
const fit = (answer: Json, given: Given): Fitted => {
  const { checkOutput } = rulesInForce();
  if (checkOutput === undefined || answer === given?.answer) return { ok: true, answer };
  const checked = checkOutput(answer);
  if (isThenable(checked))
    throw new TypeError('its output schema checks asynchronously, and REDUCE cannot wait');
  return checked.ok
    ? { ok: true, answer: checked.value }
    : { ok: false, problem: issuesText(checked.issues) };
};

const unfitNote = (problem: string): string =>
  `Your answer does not fit its schema: ${problem}. Answer again with one that fits.`;

const goOn = (
  review: ReviewState,
  { note, afterMs, by }: Extract<EndingVerdict, { kind: 'goOn' }>,
  given: Given,
): StepOutcome => {
  const { watch } = review;
  const spoken = by === undefined || watch.spoken.includes(by) ? watch.spoken : [...watch.spoken, by];
  const times = watch.sentBack + (given === undefined ? 0 : 1);
  const sentBack =
    given === undefined
      ? {}
      : { sentBack: times, stuck: watch.stuck + 1, said: given.text === '' ? watch.said : given.text };
  return {
    review: { ...review, watch: { ...watch, spoken, ...sentBack } },
    note,
    notices: [{ type: 'agent.reminded', text: note, times }],
    ...(afterMs !== undefined && afterMs > 0 && Number.isFinite(afterMs) ? { pauseMs: afterMs } : {}),
  };
};
