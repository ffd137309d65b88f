import { optionProblems } from '../../contracts/errors/check-options.ts';
import { TroupeError, messageOf } from '../../contracts/errors/error.ts';
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
import { describedSchemas } from '../../tools/schemas/described-schemas.ts';
import { onlyKept } from '../../tools/schemas/kept-value.ts';
import { checkSchema } from '../../tools/schemas/schemas.ts';
import { checkAgentName, checkName } from '../define/define-agent.ts';
import type { Definition } from '../define/definition.ts';
import { definitionOf } from '../define/definition.ts';
import type { Doer, Plan } from './plan.ts';
import { functionNode } from './function-node.ts';
import { nodeSchema, workflowSchema } from './workflow-schema.ts';

const DEFAULT_CONCURRENCY = 8;
/** Default time that a held node waits for its release, in ms. */
const RESOLVE_MS = 300_000;
const HOLD_AT = 0.95;

/**
 * The definition of a workflow.
 *
 * @throws {TroupeError} `agent.invalid` for a bad name, `workflow.invalid` with everything else that is wrong with it.
 */
export const workflowDefinition = (plan: Plan): Definition => {
  const { options, functions } = plan;
  const { limits = {} } = options;
  const name = checkAgentName(options.name, 'a workflow');
  const graph = graphFrom(plan);
  const members = new Map<string, Definition>();
  const problems = [...optionProblemsOf(plan), ...graphProblems(graph), ...enlist(plan, members)];
  if (problems.length > 0)
    throw new TroupeError(
      'workflow.invalid',
      `Cannot define the workflow '${name}' as ${problems.join('; ')}`,
      {
        details: [...problems],
      },
    );
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
    budget: limits.budget,
    limits,
    asMember: options.failures?.asMember,
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
    concurrency: options.limits?.concurrency ?? DEFAULT_CONCURRENCY,
    resolveMs: options.resolveMs ?? RESOLVE_MS,
    holdAt: options.limits?.holdAt ?? HOLD_AT,
  };
};

/** The problems of the options of a workflow and its nodes. */
const optionProblemsOf = ({ options, given }: Plan): readonly string[] => [
  ...optionProblems(workflowSchema(), options),
  ...given.flatMap(([id, node]) =>
    optionProblems(nodeSchema(), node).map((problem) => `in node '${id}' ${problem}`),
  ),
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
    const found = onlyKept(schema, checkSchema(schema, input));
    if (isThenable(found))
      return { problems: 'its schema has to be waited for, and a machine waits for nothing' };
    return found.ok
      ? { value: found.value }
      : { problems: found.issues.map(({ path, message }) => `${path || 'input'}: ${message}`).join('; ') };
  };
