import { TroupeError } from '../../contracts/errors/error.ts';
import { journaledDefinition } from '../../runtime/journal/resume/resume.ts';
import { writingMember } from '../rehearsal/writing-member.ts';
import { tryOrders } from './all-orders.ts';
import { parseScript } from './decision.ts';
import type { Deciding } from './judged-run.ts';
import { RunMaker } from './judged-run.ts';
import { Ledger } from './ledger.ts';
import { loadParts } from './load-parts.ts';
import { reportOrders } from './order-report.ts';
import { DrivenClock } from '../resilience/driven-clock.ts';
import { ProcessClock } from './world/process-clock.ts';
import { castOf } from './world/simulated-cast.ts';
import type { SimulatedAgent, SimulateOptions } from './simulate-options.ts';
import { checkSimulate } from './simulate-options.ts';
import type { SimulationReport } from './simulation-report.ts';

/** Runs that are made by default: seeds, or orders. */
const RUNS = 100;
const ORDERS = 2_000;

/** Runs that a failure may take to be shrunk. */
const SHRINKING = 300;

/**
 * Runs an agent or a team again and again in simulated worlds, each made by a seed: what models and tools answer, when, in which order, and what
 * fails; what people and callers do; and when the process is killed, and the run resumed. Time is virtual, and the runtime is the genuine one.
 *
 * Each run is judged by what holds in every run (one end, the last event; a whole log; nothing doubled; a replay of the journal makes the same events;
 * nobody is left waiting; nothing goes on after the end), by `properties` and by `check`. A failure is shrunk to the shortest script that makes it
 * happen. The same seed makes the same log, byte for byte.
 *
 * Agents without a scripted or offline model have a generated one, which calls their tools with inputs of their schemas; those tools are not executed
 * unless `tools` says so. Where tools or models have a state, give a function that makes the agent for each run.
 *
 * @example
 * const { verdict, failures } = await simulate(desk, { properties: [property.atMost(1, 'pay')] });
 * for (const { rule, reason, script } of failures) console.log(rule, reason, JSON.stringify(script));
 * await simulate(desk, { orders: true }); // all orders of what is ready at the same time
 *
 * @throws {TroupeError} `input.invalid` for invalid options, for a script that is none or is of another agent, for an agent with memories, and for one
 * with a script as its model that is not made for each run; `agent.invalid` for what is no agent.
 */
export const simulate = async (
  agent: SimulatedAgent,
  options: SimulateOptions = {},
): Promise<SimulationReport> => {
  const name = nameOf(agent, checkSimulate(options));
  const { seed = 1, orders = false, shrinking = SHRINKING, signal } = options;
  const script = options.script === undefined ? undefined : parseScript(options.script);
  if (script !== undefined && script.agent !== name)
    throw new TroupeError(
      'input.invalid',
      `Cannot replay the script in '${name}' as it is of '${script.agent}'`,
    );
  await loadParts();
  const maker = new RunMaker(agent, options);
  const ledger = new Ledger(maker, { agent: name, seed: script?.seed ?? seed, shrinking });
  const isOver = (): boolean => signal?.aborted === true;
  if (orders) {
    const calm = options.seed === undefined ? { seed, decisions: [] } : { seed };
    const base: Deciding = script ?? calm;
    const tried = await tryOrders(maker, base, {
      most: options.runs ?? ORDERS,
      isOver,
      onRun: ({ run, turns }) => ledger.enter(base, { ...run, decisions: [...run.decisions, ...turns] }),
    });
    ledger.orders = await reportOrders(maker, base, tried, { agent: name, shrinking });
  } else if (script !== undefined) await ledger.enter(script, await maker.make(script));
  else {
    const { runs = options.days === undefined ? RUNS : Infinity, days = Infinity, onProgress } = options;
    for (let count = 0; count < runs && ledger.days < days && !isOver(); count += 1) {
      const deciding = { seed: seed + count };
      await ledger.enter(deciding, await maker.make(deciding));
      onProgress?.(count + 1, ledger.failures);
    }
  }
  return ledger.report(isOver());
};

/** The name of the agent. @throws {TroupeError} `input.invalid` for one that runs would change, or that has one end. */
const nameOf = (given: SimulatedAgent, { model }: SimulateOptions): string => {
  const isMade = typeof given === 'function';
  const agent = isMade ? given({ clock: new ProcessClock(new DrivenClock(0)) }) : given;
  const definition = journaledDefinition(agent);
  const { name } = definition;
  const writer = writingMember(definition);
  if (writer !== undefined)
    throw new TroupeError(
      'input.invalid',
      `Cannot simulate '${name}' as '${writer}' has memories, which each run would write to`,
    );
  const scripted = [...castOf(definition).offline].find(([, { provider }]) => provider === 'scripted');
  if (scripted !== undefined && !isMade && model === undefined)
    throw new TroupeError(
      'input.invalid',
      `Cannot simulate '${name}' as the model of '${scripted[0]}' is a script, which has one end: give a function that makes the agent for each run, simulate(() => agent({ … })), or \`model\``,
    );
  return name;
};
