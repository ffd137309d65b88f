/**
 * A team of each pattern, as the example on its page has it: what the guide shows as its composition.
 */
import type { Agent } from '../src/contracts/agents/agent.ts';
import * as house from '../src/patterns/house.ts';
import { person } from '../src/patterns/index.ts';
import { agent } from '../src/runtime/define/agent.ts';

/** Members by name; who they are does not matter to the picture. */
const named = <Name extends string>(...names: readonly Name[]): Readonly<Record<Name, Agent>> =>
  // Exactly the names that the type has.
  Object.fromEntries<Agent>(names.map((name) => [name, agent({ name })])) as Record<Name, Agent>;

const { reporter, illustrator, editor } = named('reporter', 'illustrator', 'editor');
const books = (what: string) => ({
  does: agent({ name: `book-${what}` }),
  undoes: agent({ name: `cancel-${what}` }),
});

/** One for each pattern: the compiler requires all. */
export const sampleTeams: Readonly<Record<keyof typeof house, Pick<Agent, 'diagram'>>> = {
  blackboard: house.blackboard({ name: 'case', specialists: named('traces', 'alibis'), controller: {} }),
  consensus: house.consensus({ name: 'board', voters: named('cost', 'safety', 'users') }),
  contractNet: house.contractNet({ name: 'market', contractors: named('north', 'south') }),
  debate: house.debate({ name: 'court', debaters: named('ann', 'bob'), judge: {} }),
  ensemble: house.ensemble({
    name: 'council',
    proposers: named('engineer', 'biologist'),
    layers: 2,
    aggregator: {},
  }),
  groupChat: house.groupChat({ name: 'meeting', members: named('engineer', 'mayor'), moderator: {} }),
  handoffs: house.handoffs({ name: 'counter', members: named('reception', 'billing') }),
  jury: house.jury({
    name: 'panel',
    voters: { ...named('cost', 'safety'), pat: person({ name: 'pat' }) },
  }),
  orchestrator: house.orchestrator({
    name: 'yard',
    members: named('builder', 'inspector'),
    orchestrator: {},
  }),
  parallel: house.parallel({ name: 'sensors', members: named('buoy', 'harbour') }),
  pipeline: house.pipeline({ name: 'newspaper', stages: [reporter, illustrator, editor] }),
  plannerExecutor: house.plannerExecutor({ name: 'trip', planner: {}, executors: named('trains', 'buses') }),
  race: house.race({ name: 'guess', members: named('small', 'large', 'largest') }),
  router: house.router({ name: 'desk', members: named('billing', 'repairs') }),
  saga: house.saga({ name: 'trip', steps: { flight: books('flight'), car: books('car') } }),
  supervisorWorker: house.supervisorWorker({
    name: 'desk',
    supervisor: {},
    workers: named('historian', 'physicist'),
  }),
  writerCritic: house.writerCritic({ name: 'essay', writer: agent({ name: 'writer' }), critic: {} }),
};
