import type { Ask, AskOf } from '../../../machines/asks.ts';
import type { Actor } from '../../actors/actor.ts';

/** A commit that is done, or the promise of it. */
type Written = void | Promise<void>;

/** A step whose calls may start once its decision is committed. */
interface DecidedStep {
  readonly step: number;
  /** Number of turns in which its agent had asked for effects by then. */
  readonly turn: number;
  readonly written: Written;
}

/**
 * Holds effects until they may start: one that acts on the world starts once everything that led to it is committed, whatever its tool
 * declares. A run that is killed then resumes with the same call, and with no other.
 *
 * I1 All calls of a step start after one commit, as they follow from one decision.
 * I2 A call that must not be repeated is committed before it starts: one that is requested later because it has to run alone
 * starts after a commit of its own.
 * I3 So does a call that waited for approval or a retry, as it follows from more than the decision.
 */
export class DecidedSteps {
  readonly #flush: () => Written;
  readonly #steps = new WeakMap<Actor, DecidedStep>();

  constructor(flush: () => Written) {
    this.#flush = flush;
  }

  /** Commits everything that led to an effect, if the effect needs that; a promise only if the store is asynchronous. */
  before(entry: Actor, ask: Ask): Written {
    if (ask.port === 'act') return this.#beforeCall(entry.principal, ask);
    return ask.port === 'tool' || isOwnWork(entry, ask) ? this.#flush() : undefined;
  }

  #beforeCall(agent: Actor, ask: AskOf<'act'>): Written {
    const { step } = ask;
    const { askingTurns: turn } = agent;
    const known = this.#steps.get(agent);
    if (known?.step === step && (known.turn === turn || isRepeatable(agent, ask))) return known.written;
    const written = this.#flush();
    this.#steps.set(agent, { step, turn, written });
    return written;
  }
}

/** Checks whether repeating a call is safe. */
const isRepeatable = ({ principal }: Actor, ask: AskOf<'act'>): boolean =>
  principal.tools.find(ask.input.call.name)?.idempotent ?? true;

/** A `decide` function may act on the world as any tool does: a node of a workflow is one. */
const isOwnWork = ({ definition }: Actor, { port }: Ask): boolean =>
  port === 'decide' && definition.agent?.decide !== undefined;
