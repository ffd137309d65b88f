import type { Ask, AskOf } from '../../../machines/asks.ts';
import type { Actor } from '../../actors/actor.ts';

/** What is written, or being written, when it is a promise. */
type Written = void | Promise<void>;

/** A step whose calls may begin when what was decided in it is written. */
interface DecidedStep {
  readonly step: number;
  /** The number of times that its agent had asked for something by then. */
  readonly turn: number;
  readonly written: Written;
}

/**
 * Holds effects until they may begin: what acts on the world begins once all that led to it is written, whatever a tool says of itself. A run
 * that is killed in the midst of it comes to the same call again, and to no other.
 *
 * I1  All calls of a step begin after one commit: they follow from one decision.
 * I2  That a call is about to be made is written first if it must not be made twice: one that is asked for when others are done, as
 *     it has to be alone, begins after a separate commit.
 * I3  So does a call that had to wait, to be approved or to be tried again: it follows from more than the decision.
 */
export class DecidedSteps {
  readonly #flush: () => Written;
  readonly #steps = new WeakMap<Actor, DecidedStep>();

  constructor(flush: () => Written) {
    this.#flush = flush;
  }

  /** Writes what led to an effect, if it has to be written first; a promise where the store needs one. */
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

/** Checks whether nothing is done twice if a call is made twice. */
const isRepeatable = ({ principal }: Actor, ask: AskOf<'act'>): boolean =>
  principal.tools.find(ask.input.call.name)?.idempotent ?? true;

/** A function decides, which may act on the world as any tool does: a node of a workflow is one. */
const isOwnWork = ({ definition }: Actor, { port }: Ask): boolean =>
  port === 'decide' && definition.agent?.decide !== undefined;
