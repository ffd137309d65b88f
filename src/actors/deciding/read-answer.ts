import { isPartList } from '../../contracts/content/part.ts';
import { callIdOf, effectKey } from '../../contracts/runs/effect.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { toError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { FinishReason, ModelAnswer } from '../../contracts/models/model.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import { APPROVE_PROVIDER_CALL, requestIn } from '../../contracts/tools/provider-approval.ts';
import type { CallOrigin, ToolCall } from '../../contracts/tools/tool-call.ts';
import type { AssistantTurn } from '../../contracts/conversations/transcript.ts';
import type { AgentContext, Decided } from '../../machines/agent/agent-context.ts';
import type { PlannedCall } from '../../machines/agent/call-plan.ts';
import type { AgentDefinition, OutputCheck } from '../agent-definition.ts';
import { parsedArguments } from '../../models/calls/call-arguments.ts';
import { fencedJson } from '../../models/parsers/fenced-json.ts';
import type { Desk } from '../desk.ts';
import { isTextOutput } from '../fit-output.ts';
import { isWrappingUp } from '../../machines/stopping/wrap-up.ts';
import { plannedTool } from '../planned-tool.ts';
import { mayCallTools } from './tool-choice.ts';
import { andThen } from '../../base/promises/thenable.ts';

/** Converts a model's answer to a decision; an error if it is unusable and has to be requested again. */
export const readAnswer = (
  answer: ModelAnswer,
  context: AgentContext,
  desk: Desk,
): Decided | ErrorData | Promise<Decided> => {
  const { usage, finish } = answer;
  if (answer.refusal !== undefined || finish === 'refusal' || finish === 'content-filter')
    return {
      kind: 'refused',
      text: answer.refusal ?? (answer.text || 'The provider held the answer back.'),
      usage,
    };
  if (answer.problem !== undefined) return rejectAnswer(answer, answer.problem, context);
  const saysSomething = answer.calls.length > 0 || answer.text.trim() !== '';
  if (saysSomething && !ENDS.has(finish)) return unknownEnd(desk.definition, finish);
  if (answer.calls.length > 0)
    return mayCallTools(context, desk.definition)
      ? wantsTools(answer, context, desk)
      : withoutTools(answer, context);
  const turn = turnOf(answer);
  if (finish === 'pause') return { kind: 'again', turn, usage };
  if (answer.text.trim() === '') return silence(answer, context, desk);
  if (finish === 'length') {
    const problem = truncationError(context);
    // Each answer up to the limit is paid for: one that is asked for again, and is cut off again, will be a third time.
    if (context.review.badTurns > 0) throw toError(problem);
    return { kind: 'again', turn, usage, note: CUT_NOTE, problem };
  }
  const { output } = desk.definition;
  if (output === undefined)
    return { kind: 'decided', decision: { kind: 'answer', answer: answer.text }, turn, usage };
  const value = valueIn(answer.text, output);
  if (value === undefined) return unfit(answer, context, output, 'it is not JSON');
  return andThen(output.check(value), (checked) => structuredDecision(checked, answer, context, output));
};

/** Finish reasons of an answer that is complete, or known not to be; after any other it may be incomplete. */
const ENDS: ReadonlySet<string> = new Set<FinishReason>(['stop', 'tool-calls', 'length', 'pause']);

const unknownEnd = ({ name }: AgentDefinition, finish: string): ErrorData => ({
  code: 'model.malformed',
  message: `Cannot use the answer of '${name}''s model as it is not known to be whole: it finished with '${finish}'`,
  retryable: 'maybe',
});

/** A turn for an answer that the provider could not parse: the model sees its text, and the problem. */
const rejectAnswer = (answer: ModelAnswer, problem: string, context: AgentContext): Decided => ({
  kind: 'again',
  turn: { role: 'assistant', text: answer.text },
  usage: answer.usage,
  note: `Your last answer could not be used: ${problem} Answer again. If you want to use a tool, call it by its name with arguments that fit its schema.`,
  problem: {
    code: 'model.malformed',
    message: `Cannot use the answer of '${context.run.agent}' as its provider could not read it: ${problem}`,
    retryable: 'maybe',
    ...placeOf(context),
  },
});

/** Rejects calls without available tools. They are put into words, as a conversation must not contain unanswered calls. */
const withoutTools = ({ text, calls, usage }: ModelAnswer, context: AgentContext): Decided => {
  const names = calls.map(({ name }) => name).join(', ');
  const said = text.trim() || `I would use ${names}.`;
  const turn = { role: 'assistant', text: said } as const;
  if (isWrappingUp(context.review.watch)) return { kind: 'again', turn, usage, note: NO_TOOLS_NOTE };
  const message = `Cannot use the answer of '${context.run.agent}' as it calls ${names}, which \`settings.toolChoice: 'none'\` rules out`;
  const problem = { code: 'model.malformed', message, retryable: 'maybe', ...placeOf(context) } as const;
  return { kind: 'again', turn, usage, note: NO_TOOLS_NOTE, problem };
};

/** Handles an empty answer: requested again, unless the ending policy accepts it as an end. */
const silence = ({ usage, finish }: ModelAnswer, context: AgentContext, desk: Desk): Decided | ErrorData => {
  const { said } = context.review.watch;
  const { rules, output } = desk.definition;
  const counts = rules.ends?.takesSilence === true && output === undefined;
  if (!counts || said === '' || finish !== 'stop') return empty(desk.definition, finish);
  return {
    kind: 'decided',
    decision: { kind: 'answer', answer: '' },
    turn: { role: 'assistant', text: said },
    usage,
  };
};

const NO_TOOLS_NOTE = 'There are no more tools. Give your final answer now, in words.';

const wantsTools = (answer: ModelAnswer, { step }: AgentContext, desk: Desk): Decided => {
  const calls = answer.calls.map((call, index): PlannedCall => {
    const isCut = answer.finish === 'length' && index === answer.calls.length - 1;
    // A model may be foreign code: arguments become part of a context, and have to be plain JSON.
    const { input, problem: misfit } = parsedArguments(call.input);
    const forged = call.name === APPROVE_PROVIDER_CALL && requestIn(call) === undefined;
    const problem = forged
      ? NOT_FOR_MODELS
      : (call.problem ?? (isCut ? 'the answer was cut off at its length limit' : misfit));
    return {
      id: callIdOf(step, index),
      name: call.name,
      input,
      ...(problem === undefined ? {} : { problem }),
      ...plannedTool(call.name, desk),
    };
  });
  return {
    kind: 'decided',
    decision: { kind: 'act', calls: calls.map(({ name, input }) => ({ name, input })) },
    calls,
    turn: turnOf(answer, withOrigins(calls, answer.calls)),
    usage: answer.usage,
  };
};

const NOT_FOR_MODELS = 'no model may call it';

/** Only the conversation keeps the provider's data of a call; the plan does not need it. */
const withOrigins = (calls: readonly PlannedCall[], given: readonly ToolCall[]): readonly ToolCall[] =>
  calls.map((call, index) => {
    const origin = given[index]?.origin;
    // A model may be foreign code: its data becomes part of a context, and has to be plain JSON.
    return origin === undefined ? call : { ...call, origin: plainOrigin(origin) };
  });

const plainOrigin = ({ provider, id, model, fields }: CallOrigin): CallOrigin => {
  const plain = fields === undefined ? undefined : toJson(fields);
  return {
    provider,
    ...(typeof id === 'string' ? { id } : {}),
    ...(model === undefined ? {} : { model }),
    ...(isJsonObject(plain) ? { fields: plain } : {}),
  };
};

const structuredDecision = (
  checked: Checked<Json>,
  answer: ModelAnswer,
  context: AgentContext,
  output: OutputCheck,
): Decided => {
  if (!checked.ok) {
    const found = checked.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
    return unfit(answer, context, output, found.join('; '));
  }
  const { value } = checked;
  return {
    kind: 'decided',
    decision: output.decision?.(value) ?? { kind: 'answer', answer: value },
    turn: turnOf(answer),
    usage: answer.usage,
  };
};

const unfit = (
  answer: ModelAnswer,
  context: AgentContext,
  { repairs }: OutputCheck,
  found: string,
): Decided => {
  const problem: ErrorData = {
    code: 'output.invalid',
    message: `Cannot use the answer of '${context.run.agent}' as it does not fit its schema: ${found}`,
    retryable: 'maybe',
    ...placeOf(context),
  };
  if (repairs !== undefined && context.review.badTurns >= repairs) throw toError(problem);
  return {
    kind: 'again',
    turn: turnOf(answer),
    usage: answer.usage,
    note: `Your answer does not fit its schema: ${found}. Answer again with one JSON value that fits.`,
    problem,
  };
};

const empty = ({ name }: AgentDefinition, finish: string): ErrorData => ({
  code: 'model.empty',
  message: `Cannot use the answer of '${name}''s model as it is empty: it finished with '${finish}'`,
  retryable: 'maybe',
});

const CUT_NOTE = 'Your answer was cut off at its length limit. Give the whole answer again, shorter.';

const truncationError = (context: AgentContext): ErrorData => ({
  code: 'output.truncated',
  message: `Cannot use the answer of '${context.run.agent}' as it was cut off at its length limit: raise settings.maxOutputTokens`,
  retryable: 'maybe',
  ...placeOf(context),
});

const placeOf = ({ run: { runId, path }, step }: AgentContext) => {
  const place = { runId, path, step, phase: 'DECIDE' };
  return { ...place, operation: 'decide', errorId: effectKey({ ...place, index: 0, attempt: 1 }) };
};

const turnOf = (answer: ModelAnswer, calls?: readonly ToolCall[]): AssistantTurn => ({
  role: 'assistant',
  text: answer.text,
  ...(isPartList(answer.media) ? { parts: answer.media } : {}),
  ...(answer.reasoning === undefined ? {} : { reasoning: answer.reasoning }),
  ...(calls === undefined ? {} : { calls }),
  ...(answer.replay === undefined ? {} : { replay: answer.replay }),
});

/** The value that a text gives: its JSON; the text itself where a string is wanted, and the JSON is none. */
const valueIn = (text: string, output: OutputCheck): unknown => {
  const value = parseJson(text);
  return isTextOutput(output) && typeof value !== 'string' ? text : value;
};

/** Parses the JSON in a text: all of it, or the content of its only fence. */
const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(fencedJson(text));
  } catch {
    return undefined;
  }
};
