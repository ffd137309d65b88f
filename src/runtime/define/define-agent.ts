import { andThen } from '../../base/promises/thenable.ts';
import { copyPlain } from '../../base/json/copy-plain.ts';
import type { AgentDefinition, OutputCheck } from '../../actors/agent-definition.ts';
import { agentsFragment, instructionsFragment } from '../../actors/deciding/prompt-fragments.ts';
import { answerCheckOf } from '../../actors/strategies/answer-check.ts';
import { applyStrategies } from '../../actors/strategies/apply-strategies.ts';
import { strategiesOf } from '../../actors/strategies/strategy-registry.ts';
import type { AgentOptions } from '../../contracts/agents/agent.ts';
import type { Content, Part } from '../../contracts/content/part.ts';
import { contentText, isPartList } from '../../contracts/content/part.ts';
import type { ModelChoice } from '../../contracts/models/model.ts';
import { checkOptions, refusedOptions } from '../../contracts/errors/check-options.ts';
import { toError, TroupeError } from '../../contracts/errors/error.ts';
import { isObject } from '../../base/schemas/option-schemas.ts';
import type { StopRule } from '../../contracts/agents/stop-rule.ts';
import { writeOutStop } from '../../contracts/agents/ending.ts';
import type { History } from '../../base/collections/history.ts';
import { append, emptyHistory } from '../../base/collections/history.ts';
import { historyProblems } from '../../actors/preparing/check-history.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import { freezeJson } from '../../base/json/freeze-json.ts';
import { oddValueIn } from '../../base/json/odd-value.ts';
import type { Schema } from '../../base/schemas/schema.ts';
import { isReservedName, RESERVED_NAMES } from '../../contracts/conversations/speaker.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import type { AgentInput } from '../../machines/agent/agent-context.ts';
import { agentMachine } from '../../machines/agent/agent-machine.ts';
import type { Rules } from '../../machines/rules.ts';
import { maxSteps } from '../../machines/stopping/stop-rules.ts';
import { MAX_TEXT_BYTES } from '../../tools/calls/cut-text.ts';
import { checkAllotment } from '../../policy/allotted-limits.ts';
import { describedSchemas } from '../../tools/schemas/described-schemas.ts';
import { onlyKept, withKept } from '../../tools/schemas/kept-value.ts';
import { beyondJson } from '../../tools/schemas/unsendable-parts.ts';
import { checkInput, checkSchema, itemSchemaOf, jsonSchemaOf } from '../../tools/schemas/schemas.ts';
import { phaseOfWork } from '../../tools/calls/phase-of-work.ts';
import { ToolRegistry } from '../../tools/define/tool-registry.ts';
import { agentSchema } from './agent-schema.ts';
import type { Definition, Placement } from './definition.ts';
import { distinctCalls } from '../thread/earlier-turns.ts';
import { endingRules } from './ending-rules.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { compactionFrom, memoryFrom } from './memory-options.ts';
import { stateOver } from '../thread/run-states.ts';
import type { Described } from '../../contracts/agents/signature.ts';

/** Limit of a run's steps if nothing else limits them. */
const DEFAULT_MAX_STEPS = 50;
const DEFAULT_MAX_REJECTIONS = 2;
/** Default number of consecutive failures that a recovery policy handles. */
const DEFAULT_RECOVERIES = 3;
/** Default timeout of an agent's own functions, in ms: that of a model call. */
const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_TOOL_CONCURRENCY = 4;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Validates the name of an agent or a team, which becomes part of addresses and keys. */
export const checkName = (name: unknown, kind: string): string => {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define ${kind} as its name is not 1 to 64 letters, digits, '-' or '_', the first a letter or digit: ${foundText(name)}`,
  );
};

/** Validates a name that models see: names reserved for the runtime are refused. */
export const checkAgentName = (name: unknown, kind: string): string => {
  const checked = checkName(name, kind);
  if (!isReservedName(checked)) return checked;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define ${kind} as its name is one by which the runtime itself speaks to models (${[...RESERVED_NAMES].join(', ')}): ${foundText(name)}`,
  );
};

/** The definition of an agent; see `agent`. */
export const agentDefinition = <
  Input extends Described,
  Output extends Described,
  State extends Json,
  Observation extends Json,
>(
  given: AgentOptions<Input, Output, State, Observation>,
): Definition => {
  if (!isObject(given))
    throw refusedOptions([`its options are not an object: found ${foundText(given)}`], NAMELESS);
  const name = checkAgentName(given.name, 'an agent');
  const about = { code: 'agent.invalid', owner: `the agent '${name}'` } as const;
  checkOptions(agentSchema(), given, about);
  const { input, output } = describedSchemas(name, given.input, given.output);
  const beyond = [...beyondJson(input, 'input'), ...beyondJson(output, 'output')];
  if (beyond.length > 0) throw refusedOptions(beyond, about);
  const strategies = strategiesOf(given.strategy, name);
  const options = applyStrategies(given, strategies);
  const { limits = {}, failures = {}, conversation = {}, mailbox } = options;
  const [problem] = new ToolRegistry(options.tools).problems;
  if (problem !== undefined) throw new TroupeError(problem.code, problem.message, { tool: problem.tool });
  const checkOutput =
    output === undefined ? undefined : (answer: Json) => onlyKept(output, checkInput(output, answer));
  const stop = writeOutStop(options.stop);
  const rules = {
    ...rulesFrom(options, stop),
    ...endingRules(name, stop.ends, limits, output !== undefined),
    checkOutput,
  };
  for (const item of options.tools ?? [])
    for (const tool of 'tools' in item ? item.tools : [item]) checkAllotment(tool.delegates?.budget, about);
  const plan: AgentDefinition = {
    name,
    description: options.description ?? '',
    fragments: [
      instructionsFragment(options.instructions ?? ''),
      agentsFragment,
      ...(conversation.fragments ?? []),
    ],
    strategies,
    models: modelsFrom(options.model),
    settings: freezeJson(copyPlain(options.settings)),
    retry: failures.retry,
    tools: options.tools ?? [],
    environment: options.environment,
    ...memoryFrom(options.memory, name),
    compaction: compactionFrom(conversation.compaction),
    toolConcurrency: limits.toolConcurrency ?? DEFAULT_TOOL_CONCURRENCY,
    maxTextBytes: conversation.maxTextBytes ?? MAX_TEXT_BYTES,
    state: stateFrom(options.state, name),
    rules,
    critics: options.critics ?? [],
    maxRejections: limits.maxRejections ?? DEFAULT_MAX_REJECTIONS,
    recovery: failures.recovery,
    timeoutMs: failures.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    hooks: options.hooks ?? [],
    output: answerCheckOf(strategies, name, outputFrom(output, name)),
    checkOutput,
    schemas: { input, output },
    takesText: input === undefined,
    checkInput: inputCheck(input),
    prompt: promptFrom(conversation.prompt),
    // The options that typed these functions also produce their arguments.
    observe: options.observe as AgentDefinition['observe'],
    decide: options.decide as AgentDefinition['decide'],
  };
  return {
    name,
    description: plan.description,
    machine: agentMachine,
    rules,
    agent: plan,
    members: new Map(),
    hooks: plan.hooks,
    budget: limits.budget,
    mailbox,
    asMember: failures.asMember,
    limits,
    start: (input, placement) => {
      const begun = startOf(plan, input, placement);
      const { unread = placement.readsPeople === true ? 'people' : 'leave' } = mailbox ?? {};
      return unread === 'leave' ? begun : { ...begun, readsUnread: unread === 'read' ? true : unread };
    },
  };
};

/** A copy of the turns that were given, which may not be plain JSON. @throws {TroupeError} `input.invalid` */
const frozenTurns = (history: readonly Turn[], name: string): History<Turn> => {
  try {
    return append<Turn>(emptyHistory(), ...distinctCalls(history));
  } catch (thrown) {
    const [problem] = historyProblems(history, name);
    throw problem === undefined ? thrown : toError(problem);
  }
};

const NAMELESS = { code: 'agent.invalid', owner: 'an agent' } as const;

const stateFrom = (state: Json = {}, name: string): Json => {
  const odd = oddValueIn(state, 'state');
  if (odd === undefined) return state;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define the agent '${name}' as its state is not plain JSON: ${odd.found} at ${odd.at}`,
  );
};

const startOf = (
  plan: AgentDefinition,
  input: unknown,
  { runId, path, at, history = [], state, keepsConversation, inputFrom, phase }: Placement,
): AgentInput => ({
  runId,
  path,
  agent: plan.name,
  at,
  input: toJson(input),
  // A frozen copy, as runs share no state.
  state: freezeJson(toJson(stateOver(plan.state, state))),
  history: frozenTurns(history, plan.name),
  observes: plan.observe !== undefined || plan.environment !== undefined || plan.memories.length > 0,
  ...criticsOf(plan),
  maxRejections: plan.maxRejections,
  toolConcurrency: plan.toolConcurrency,
  models: 1,
  ...(keepsConversation === true ? { keepsConversation } : {}),
  ...(inputFrom === undefined ? {} : { inputFrom }),
  ...(phase === undefined ? {} : { phase }),
  ...(plan.recovery === undefined ? {} : { recoveries: plan.recovery.limit ?? DEFAULT_RECOVERIES }),
});

const criticsOf = ({ critics }: AgentDefinition): Pick<AgentInput, 'critics' | 'critiqueEvery'> => {
  if (critics.length === 0) return { critics: 'none' };
  const periods = critics.flatMap(({ each, every = 1 }) => (each === 'step' ? [every] : []));
  if (periods.length === 0) return { critics: 'answer' };
  return periods.includes(1) ? { critics: 'step' } : { critics: 'step', critiqueEvery: periods };
};

const rulesFrom = <I extends Described, O extends Described, State extends Json, Observation extends Json>(
  { tools = [], reduce }: AgentOptions<I, O, State, Observation>,
  { rules, shouldStop, workPhases }: ReturnType<typeof writeOutStop>,
): Rules => {
  const isLimited = rules.some(({ limitsSteps }) => limitsSteps === true);
  return {
    reduce: reduce as Rules['reduce'],
    phaseOf: workPhases === undefined ? undefined : phaseOfWork(tools, workPhases),
    shouldStop,
    stop: isLimited ? rules : [...rules, defaultSteps],
  };
};

const fewSteps = maxSteps(DEFAULT_MAX_STEPS);

/** A limit of steps in the agent's own budget replaces the default. */
const defaultSteps: StopRule = {
  ...fewSteps,
  check: (view) => (view.tally.budget?.limitsOwnSteps === true ? undefined : fewSteps.check(view)),
  pressure: (view) => (view.tally.budget?.limitsOwnSteps === true ? 0 : (fewSteps.pressure?.(view) ?? 0)),
};

const modelsFrom = (model: AgentOptions['model'] = []): readonly ModelChoice[] =>
  isList(model) ? model : [model];

const isList = (model: ModelChoice | readonly ModelChoice[]): model is readonly ModelChoice[] =>
  Array.isArray(model);

const inputCheck = (schema: Schema | undefined): AgentDefinition['checkInput'] =>
  schema === undefined
    ? (input) =>
        typeof input === 'string' || isPartList(input)
          ? { ok: true, value: { value: input, kept: toJson(input) } }
          : { ok: false, issues: [{ path: '', message: noText(input) }] }
    : (input) => andThen(checkSchema(schema, input), (checked) => withKept(schema, checked));

const noText = (input: unknown): string => {
  // An input that is left out arrives as null.
  const found = input === null ? 'nothing' : Array.isArray(input) ? 'a list' : typeof input;
  return `expected a string, found ${found} (others need an \`input\` schema)`;
};

const promptFrom =
  <Input>(prompt: ((input: Input) => Content) | undefined): AgentDefinition['prompt'] =>
  (input) => {
    if (isPartList(input)) return prompt === undefined ? input : promptOfParts(prompt, input);
    if (prompt !== undefined) return prompt(input as Input);
    return typeof input === 'string' ? input : JSON.stringify(toJson(input), null, 2);
  };

/** A prompt knows of text: the media of its input follow it. */
const promptOfParts = <Input>(prompt: (input: Input) => Content, parts: readonly Part[]): Content => {
  // An input of parts is one of text: the prompt's own.
  const said = prompt(contentText(parts.filter(({ type }) => type === 'text')) as Input);
  if (typeof said !== 'string') return said;
  return [{ type: 'text', text: said }, ...parts.filter(({ type }) => type !== 'text')];
};

const outputFrom = (schema: Schema | undefined, name: string): OutputCheck | undefined => {
  if (schema === undefined) return undefined;
  const item = itemSchemaOf(schema);
  return {
    spec: { name: `${name}_answer`.replaceAll('-', '_'), schema: jsonSchemaOf(schema) },
    check: (value) => onlyKept(schema, checkSchema(schema, value)),
    checkItem: item && ((value) => onlyKept(item, checkSchema(item, value))),
  };
};
