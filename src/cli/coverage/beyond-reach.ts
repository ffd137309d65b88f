import type { AgentDefinition } from '../../actors/agent-definition.ts';
import type { ArrowShape, StateShape } from '../../inspect/recording/entry.ts';
import { agentMachine } from '../../machines/agent/agent-machine.ts';
import type { Definition } from '../../runtime/define/definition.ts';
import { isToolset } from '../../tools/define/tool-registry.ts';

/** A feature of agents that a part of their chart is for, and that an agent may lack. */
interface Feature {
  readonly name: string;
  readonly isHad: (agent: AgentDefinition) => boolean;
  readonly isFor: (part: ChartPart) => boolean;
}

/** A state, or an arrow out of it. */
interface ChartPart {
  readonly state: string;
  readonly arrow?: ArrowShape | undefined;
}

const delegates = ({ tools }: AgentDefinition): boolean =>
  tools
    .flatMap((item) => (isToolset(item) ? item.tools : [item]))
    .some((tool) => tool.delegates !== undefined);

const isIn = ({ state }: ChartPart, name: string): boolean => state.split('.').includes(name);
const isOn = ({ arrow }: ChartPart, event: string): boolean => arrow?.event === event;
const isIf = ({ arrow }: ChartPart, ...guards: readonly string[]): boolean =>
  arrow?.guard !== undefined && guards.includes(arrow.guard);

const FEATURES: readonly Feature[] = [
  {
    name: 'an environment that it observes',
    isHad: ({ environment, observe }) => environment !== undefined || observe !== undefined,
    isFor: (part) => isIn(part, 'looking') || isIf(part, 'observes', 'comesBackToLook', 'seesInstead'),
  },
  {
    name: 'a critic',
    isHad: ({ critics }) => critics.length > 0,
    isFor: (part) => isIn(part, 'CRITIC') || isIf(part, 'wantsCritique'),
  },
  {
    name: 'a recovery',
    isHad: ({ recovery }) => recovery !== undefined,
    isFor: (part) => isOn(part, 'answered.recover') || isIf(part, 'mayRecover'),
  },
  {
    name: 'a delegate',
    isHad: delegates,
    isFor: (part) => isIn(part, 'gathering') || isOn(part, 'answered.delegate'),
  },
  {
    name: 'something to wait for (a `decide`, a delegate, an ending that comes back later)',
    isHad: (agent) =>
      agent.decide !== undefined ||
      agent.strategies.length > 0 ||
      agent.output?.decision !== undefined ||
      agent.rules.ends !== undefined ||
      delegates(agent),
    isFor: (part) => isIn(part, 'waiting') || isIn(part, 'gathering') || isIf(part, 'mustWait'),
  },
];

/** The parts of a chart that an agent cannot come to, as it lacks what they are for. */
export interface BeyondReach {
  /** Ids of states and arrows. */
  readonly ids: ReadonlySet<string>;
  /** Names of the features that it lacks. */
  readonly lacking: readonly string[];
}

/** The parts of the chart of an agent that it cannot come to. Of a team all are within reach: its pattern knows what they are for. */
export const beyondReach = (definition: Definition | undefined, shape: StateShape): BeyondReach => {
  const agent = definition?.machine.id === agentMachine.id ? definition.agent : undefined;
  const lacking = agent === undefined ? [] : FEATURES.filter(({ isHad }) => !isHad(agent));
  const ids = new Set<string>();
  const used = new Set<string>();
  const take = (state: StateShape): void => {
    const parts = [
      { id: state.id, part: { state: state.id } },
      ...state.arrows.map((arrow) => ({ id: arrow.id, part: { state: state.id, arrow } })),
    ];
    for (const { id, part } of parts)
      for (const { name, isFor } of lacking)
        if (isFor(part)) {
          ids.add(id);
          used.add(name);
        }
    for (const each of state.states) take(each);
  };
  take(shape);
  return { ids, lacking: lacking.flatMap(({ name }) => (used.has(name) ? [name] : [])) };
};

/** The definitions of a team and all its members, by name. */
export const definitionsIn = (
  root: Definition,
  found = new Map<string, Definition>(),
): ReadonlyMap<string, Definition> => {
  if (found.has(root.name)) return found;
  found.set(root.name, root);
  for (const member of root.members.values()) definitionsIn(member, found);
  return found;
};
