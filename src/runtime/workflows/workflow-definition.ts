import { checkOptions } from '../../contracts/errors/check-options.ts';
import { onDemand } from '../../base/on-demand.ts';
import { objectLike, optional } from '../../base/schemas/option-schemas.ts';
import { TroupeError, messageOf } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { TeamInput } from '../../coordination/round/team-context.ts';
import { CHECK_INPUT, workflowMachine } from '../../coordination/workflow/workflow.ts';
import type { Graph } from '../../coordination/workflow/workflow-graph.ts';
import { graphFlow } from '../../coordination/workflow/graph-flow.ts';
import { graphProblems } from '../../coordination/workflow/workflow-graph.ts';
import { withImplied } from '../../coordination/workflow/workflow-change.ts';
import { assertMachine } from '../../machines/check-machine.ts';
import { teamRules } from '../../machines/supervision.ts';
import { budgetSchema } from '../../policy/budget-schema.ts';
import { describedSchemas } from '../../tools/schemas/described-schemas.ts';
import { checkSchema } from '../../tools/schemas/schemas.ts';
import { memberPolicySchema } from '../define/supervision-schema.ts';
import { checkAgentName, checkName } from '../define/define-agent.ts';
import type { Definition } from '../define/definition.ts';
import { definitionOf } from '../define/definition.ts';
import type { Doer, Plan } from './plan.ts';
import { functionNode } from './function-node.ts';

const DEFAULT_CONCURRENCY = 8;
/** Default time that a held node waits for its release, in ms. */
const RESOLVE_MS = 300_000;
const HOLD_AT = 0.95;

const commonSchema = onDemand(() =>
  objectLike({ budget: optional(budgetSchema()), asMember: optional(memberPolicySchema()) }, 'no object'),
);

/**
 * The definition of a workflow.
 *
 * @throws {TroupeError} `agent.invalid` for a bad name, `workflow.invalid` with everything else that is wrong with it.
 */
export const workflowDefinition = (plan: Plan): Definition => {
  const { options, functions } = plan;
  const name = checkAgentName(options.name, 'a workflow');
  const graph = graphFrom(plan);
  const members = new Map<string, Definition>();
  const problems = [...optionProblems(graph), ...graphProblems(graph), ...enlist(plan, members)];
  if (problems.length > 0)
    throw new TroupeError(
      'workflow.invalid',
      `Cannot define the workflow '${name}' as ${problems.join('; ')}`,
      {
        details: [...problems],
      },
    );
  checkOptions(commonSchema(), options, { code: 'workflow.invalid', owner: `the workflow '${name}'` });
  const { input: schema } = describedSchemas(name, plan.input, undefined);
  const wishes = [...members].map(([role, { asMember }]) => [role, asMember] as const);
  const supervision = teamRules(undefined, Object.fromEntries(wishes));
  const machine = workflowMachine(name, graph);
  assertMachine(machine);
  return {
    name,
    description: options.description ?? '',
    machine,
    rules: {
      stop: [],
      functions: schema === undefined ? functions : { ...functions, [CHECK_INPUT]: inputCheck(schema) },
    },
    agent: undefined,
    members,
    flow: graphFlow(graph),
    drawnBy: 'composition',
    hooks: options.hooks ?? [],
    budget: options.budget,
    asMember: options.asMember,
    start: (input, { runId, path, at }): TeamInput<Graph> => ({
      runId,
      path,
      name,
      members: [...members.keys()],
      supervision,
      at,
      input: toJson(input),
      options: graph,
    }),
  };
};

const graphFrom = ({ options, nodes, edges, output }: Plan): Graph => {
  const all = nodes.reduce((found, node) => withImplied({ edges: found }, node), edges);
  return {
    nodes,
    edges: all,
    output,
    mode: options.mode ?? 'strict',
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    resolveMs: options.resolveMs ?? RESOLVE_MS,
    holdAt: options.holdAt ?? HOLD_AT,
  };
};

/** JavaScript callers may pass a text of digits. */
const isAbove = (found: unknown): boolean => typeof found === 'number' && found > 0;

/** Problems with numeric options. */
const optionProblems = ({ nodes, concurrency, holdAt, resolveMs, mode }: Graph): readonly string[] => [
  ...(Number.isInteger(concurrency) && concurrency >= 1
    ? []
    : [`its concurrency is no number from 1: ${foundText(concurrency)}`]),
  ...(isAbove(resolveMs) ? [] : [`its resolveMs is no time: ${foundText(resolveMs)}`]),
  ...(isAbove(holdAt) && holdAt <= 1 ? [] : [`its holdAt is no part of 1: ${foundText(holdAt)}`]),
  ...(['strict', 'partial'].includes(mode)
    ? []
    : [`its mode is neither strict nor partial: ${String(mode)}`]),
  ...nodes.flatMap(({ id, retry, timeMs, concurrency: items }) => [
    ...(timeMs === null || isAbove(timeMs) ? [] : [`the timeMs of '${id}' is no time: ${foundText(timeMs)}`]),
    ...(Number.isInteger(retry) && retry >= 0
      ? []
      : [`the retry of '${id}' is no number from 0: ${foundText(retry)}`]),
    ...(items === null || (Number.isInteger(items) && items >= 1)
      ? []
      : [`the concurrency of '${id}' is no number from 1: ${foundText(items)}`]),
  ]),
];

/** Adds the members to the map; returns the problems found. */
const enlist = ({ members: given }: Plan, members: Map<string, Definition>): readonly string[] =>
  given.flatMap(([id, doer]) => {
    try {
      checkName(id, 'a node');
      members.set(id, doerOf(id, doer));
      return [];
    } catch (thrown) {
      return [messageOf(thrown)];
    }
  });

const doerOf = (id: string, doer: Doer): Definition => {
  if (typeof doer === 'function') return functionNode(id, doer);
  const definition = typeof doer === 'object' && doer !== null ? definitionOf(doer) : undefined;
  if (definition !== undefined) return definition;
  throw new TroupeError(
    'workflow.invalid',
    `'${id}' is done by neither an agent, a team nor a function: ${messageOf(doer)}`,
  );
};

/** Validates the workflow's input in its machine: pure and synchronous. */
const inputCheck =
  (schema: Parameters<typeof checkSchema>[0]) =>
  (input: Json = null): Json => {
    const found = checkSchema(schema, input);
    if (isThenable(found))
      return { problems: 'its schema has to be waited for, and a machine waits for nothing' };
    return found.ok
      ? { value: toJson(found.value) }
      : { problems: found.issues.map(({ path, message }) => `${path || 'input'}: ${message}`).join('; ') };
  };
