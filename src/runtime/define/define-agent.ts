import { copyPlain } from '../../contracts/copy-plain.ts';
import type { AgentDefinition, OutputCheck } from '../../actors/agent-definition.ts';
import { applyBackend } from '../../actors/backends/apply-backend.ts';
import { backendOf } from '../../actors/backends/backend-registry.ts';
import { agentsFragment, instructionsFragment } from '../../actors/prompt-fragments.ts';
import { applyStrategy } from '../../actors/strategies/apply-strategy.ts';
import type { AgentOptions, ModelChoice } from '../../contracts/agent.ts';
import { messageOf, TroupeError } from '../../contracts/error.ts';
import { append, emptyHistory } from '../../contracts/history.ts';
import type { Json } from '../../contracts/json.ts';
import { isJsonObject, toJson } from '../../contracts/json.ts';
import { freezeJson } from '../../contracts/freeze-json.ts';
import { oddValueIn } from '../../contracts/odd-value.ts';
import type { Schema } from '../../contracts/schema.ts';
import { isReservedName, RESERVED_NAMES } from '../../contracts/speaker.ts';
import type { StopRule } from '../../contracts/stop.ts';
import type { Turn } from '../../contracts/transcript.ts';
import type { AgentInput } from '../../machines/agent-context.ts';
import { agentMachine } from '../../machines/agent-machine.ts';
import type { Rules } from '../../machines/rules.ts';
import { maxSteps } from '../../machines/stop-rules.ts';
import { MAX_OUTPUT_BYTES } from '../../tools/cap-output.ts';
import { checkAllotment } from '../../policy/allotted-limits.ts';
import { budgetLimits } from '../../policy/budget-limits.ts';
import { describedSchemas } from '../../tools/described-schemas.ts';
import { checkInput, checkSchema, jsonSchemaOf } from '../../tools/schemas.ts';
import { phaseOfWork } from '../../tools/phase-of-work.ts';
import { ToolRegistry } from '../../tools/tool-registry.ts';
import { checkRecovery } from './check-recovery.ts';
import { checkCount } from './check-count.ts';
import { checkMailbox } from './check-mailbox.ts';
import { checkCritics } from './check-critics.ts';
import { checkSupervision } from './check-supervision.ts';
import { checkRetry } from './check-retry.ts';
import type { Definition, Placement } from './definition.ts';
import { distinctCalls } from '../thread/earlier-turns.ts';
import { endingRules } from './ending-rules.ts';
import { foundText } from '../../contracts/found-text.ts';
import { contextFrom, memoryFrom } from './memory-options.ts';
import { stateOver } from '../thread/run-states.ts';
import { checkLimits } from '../limits/tree-limits.ts';
import type { Described } from '../../contracts/signature.ts';

/** Steps of a run where nothing else limits them: one number, here. */
const DEFAULT_MAX_STEPS = 50;
const DEFAULT_MAX_REJECTIONS = 2;
/** Failures in a row that are survived where a recovery policy says no number. */
const DEFAULT_RECOVERIES = 3;
/** The time that an agent's own functions may take, in ms: as long as a model. */
const DEFAULT_TIMEOUT_MS = 600_000;
const DEFAULT_TOOL_CONCURRENCY = 4;

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Checks the name of an agent or a team: it becomes part of addresses and keys. */
export const checkName = (name: unknown, kind: string): string => {
  if (typeof name === 'string' && NAME.test(name)) return name;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define ${kind} as its name is not 1 to 64 letters, digits, '-' or '_', the first a letter or digit: ${foundText(name)}`,
  );
};

/** Checks the name of something that speaks to models: the runtime's own names are not to be had. */
export const checkAgentName = (name: unknown, kind: string): string => {
  const checked = checkName(name, kind);
  if (!isReservedName(checked)) return checked;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define ${kind} as its name is one by which the runtime itself speaks to models (${[...RESERVED_NAMES].join(', ')}): ${foundText(name)}`,
  );
};

/** What stands behind an agent: see `agent`. */
export const agentDefinition = <
  Input extends Described,
  Output extends Described,
  State extends Json,
  Observation extends Json,
>(
  given: AgentOptions<Input, Output, State, Observation>,
): Definition => {
  assertOptions(given);
  const name = checkAgentName(given.name, 'an agent');
  assertLists(name, given);
  const { input, output } = describedSchemas(name, given.input, given.output);
  const options = given.strategy === undefined ? given : applyStrategy(given, given.strategy);
  const [problem] = new ToolRegistry(options.tools).problems;
  if (problem !== undefined) throw new TroupeError(problem.code, problem.message, { tool: problem.tool });
  checkRecovery(name, options.recovery, options.timeoutMs);
  const checkOutput = output === undefined ? undefined : (answer: Json) => checkInput(output, answer);
  const rules = { ...rulesFrom(options), ...endingRules(options, output !== undefined), checkOutput };
  const count = { code: 'agent.invalid', owner: `the agent '${name}'` } as const;
  budgetLimits(options.budget, count);
  checkMailbox(options.mailbox, count);
  checkSupervision(options.asMember, 'agent.invalid', count.owner);
  checkLimits(options.limits, count);
  for (const item of options.tools ?? [])
    for (const tool of 'tools' in item ? item.tools : [item]) checkAllotment(tool.delegates?.budget, count);
  const plain: AgentDefinition = {
    name,
    description: options.description ?? '',
    fragments: [
      instructionsFragment(options.instructions ?? ''),
      agentsFragment,
      ...(options.fragments ?? []),
    ],
    strategy: options.strategy,
    models: modelsFrom(options.model, name),
    settings: freezeJson(copyPlain(options.settings)),
    retry: checkRetry(options.retry, name),
    tools: options.tools ?? [],
    environment: options.environment,
    ...memoryFrom(options.memory, options.recall, name),
    context: contextFrom(options.context, name),
    toolConcurrency: checkCount(
      options.toolConcurrency ?? DEFAULT_TOOL_CONCURRENCY,
      1,
      'toolConcurrency',
      count,
    ),
    maxTextBytes: checkCount(options.maxTextBytes ?? MAX_OUTPUT_BYTES, 1, 'maxTextBytes', count),
    state: stateFrom(options.state, name),
    rules,
    critics: checkCritics(options.critics ?? [], name),
    maxRejections: checkCount(options.maxRejections ?? DEFAULT_MAX_REJECTIONS, 0, 'maxRejections', count),
    recovery: options.recovery,
    timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    hooks: options.hooks ?? [],
    output: outputFrom(output, name),
    checkOutput,
    schemas: { input, output },
    takesText: input === undefined,
    checkInput: inputCheck(input),
    prompt: promptFrom(options.prompt),
    // Types are rubbed off here: what these functions see was made from the very options that typed them.
    observe: options.observe as AgentDefinition['observe'],
    decide: options.decide as AgentDefinition['decide'],
  };
  const plan = applyBackend(plain, backendOf(options.backend, name));
  return {
    name,
    description: plan.description,
    machine: agentMachine,
    rules,
    agent: plan,
    members: new Map(),
    hooks: plan.hooks,
    budget: options.budget,
    mailbox: options.mailbox,
    asMember: options.asMember,
    limits: options.limits,
    start: (input, placement) => {
      const begun = startOf(plan, input, placement);
      return options.mailbox?.unread === 'read' ? { ...begun, readsUnread: true } : begun;
    },
  };
};

/** In JavaScript anything may stand where the options should. */
const assertOptions = (options: unknown): void => {
  if (typeof options === 'object' && options !== null) return;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define an agent as its options are no object: ${options === undefined ? 'nothing' : messageOf(options)}`,
  );
};

const LISTS = ['tools', 'hooks', 'critics', 'fragments'] as const;

const assertLists = (
  name: string,
  options: { readonly [Option in (typeof LISTS)[number]]?: unknown },
): void => {
  for (const option of LISTS) {
    const found = options[option];
    if (found === undefined || Array.isArray(found)) continue;
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the agent '${name}' as its ${option} are no list: write ${option}: [ … ], found ${foundText(found)}`,
    );
  }
};

const stateFrom = (state: Json = {}, name: string): Json => {
  const odd = oddValueIn(state, 'state');
  if (odd === undefined) return state;
  throw new TroupeError(
    'agent.invalid',
    `Cannot define the agent '${name}' as its state is no plain JSON: ${odd.found} at ${odd.at}`,
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
  // A copy, as two runs share nothing, that nobody can change.
  state: freezeJson(toJson(stateOver(plan.state, state))),
  history: append<Turn>(emptyHistory(), ...distinctCalls(history)),
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
  options: AgentOptions<I, O, State, Observation>,
): Rules => {
  const given: readonly StopRule[] = options.stop === undefined ? [] : [options.stop].flat();
  const isLimited = given.some(({ limitsSteps }) => limitsSteps === true);
  return {
    reduce: options.reduce as Rules['reduce'],
    phaseOf: workPhaseRule(options),
    shouldStop: options.shouldStop,
    stop: isLimited ? given : [...given, defaultSteps],
  };
};

const workPhaseRule = ({
  name,
  tools = [],
  workPhases,
}: Pick<AgentOptions, 'name' | 'tools' | 'workPhases'>): Rules['phaseOf'] => {
  if (workPhases === undefined) return undefined;
  const phases: readonly unknown[] = isJsonObject(workPhases) ? Object.values(workPhases) : [undefined];
  if (phases.some((phase) => typeof phase !== 'string' || phase.trim() === ''))
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the agent '${name}' as its workPhases are no phases by category of tools: ${messageOf(workPhases)}`,
    );
  return phaseOfWork(tools, workPhases);
};

const fewSteps = maxSteps(DEFAULT_MAX_STEPS);

/** Where the agent's own budget limits its steps, that is the limit. */
const defaultSteps: StopRule = {
  ...fewSteps,
  check: (view) => (view.tally.budget?.limitsOwnSteps === true ? undefined : fewSteps.check(view)),
  pressure: (view) => (view.tally.budget?.limitsOwnSteps === true ? 0 : (fewSteps.pressure?.(view) ?? 0)),
};

const modelsFrom = (model: AgentOptions['model'], name: string): readonly ModelChoice[] => {
  if (model === undefined) return [];
  const models = isList(model) ? model : [model];
  for (const choice of models) {
    if (typeof choice === 'string' || isModel(choice)) continue;
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the agent '${name}' as its model answers nothing: write 'provider:model' or an object with answer(), found ${foundText(choice)}`,
    );
  }
  return models;
};

const isModel = (choice: unknown): boolean =>
  typeof choice === 'object' && choice !== null && 'answer' in choice && typeof choice.answer === 'function';

const isList = (model: ModelChoice | readonly ModelChoice[]): model is readonly ModelChoice[] =>
  Array.isArray(model);

const inputCheck = (schema: Schema | undefined): AgentDefinition['checkInput'] =>
  schema === undefined
    ? (input) =>
        typeof input === 'string'
          ? { ok: true, value: input }
          : { ok: false, issues: [{ path: '', message: `expected a string, found ${typeof input}` }] }
    : (input) => checkSchema(schema, input);

const promptFrom =
  <Input>(prompt: ((input: Input) => string) | undefined): AgentDefinition['prompt'] =>
  (input) => {
    if (prompt !== undefined) return prompt(input as Input);
    return typeof input === 'string' ? input : JSON.stringify(toJson(input), null, 2);
  };

const outputFrom = (schema: Schema | undefined, name: string): OutputCheck | undefined => {
  if (schema === undefined) return undefined;
  return {
    spec: { name: `${name}_answer`.replaceAll('-', '_'), schema: jsonSchemaOf(schema) },
    check: (value) => checkSchema(schema, value),
  };
};
