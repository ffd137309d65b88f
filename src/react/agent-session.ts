import { isLogged } from '../contracts/events/is-logged.ts';
import { createActor } from 'xstate';
import { waitingRequests } from '../client/select-progress.ts';
import { errorData } from '../contracts/errors/error.ts';
import { checkApproval } from '../contracts/people/check-answer.ts';
import type { LiveEvent } from '../contracts/events/event.ts';
import type { Json } from '../base/json/json.ts';
import { randomId } from '../base/random-id.ts';
import type { GivenPart } from '../contracts/content/part.ts';
import type { Threads } from '../contracts/conversations/thread.ts';
import type { Turn } from '../contracts/conversations/transcript.ts';
import type { Progress } from '../events/progress/progress.ts';
import { foldProgress, noProgress } from '../events/progress/progress.ts';
import { threads } from '../memory/threads/threads.ts';
import { memoryStore } from '../persistence/memory-store.ts';
import type { LogicOptions } from '../runtime/embed/logic-options.ts';
import type { AgentCommand } from '../runtime/embed/agent-command.ts';
import { eventsOf } from '../runtime/embed/events-of.ts';
import type {
  AgentSessionView,
  SessionControls,
  UseAgentOptions,
  ViewedAgent,
} from './agent-session-view.ts';
import type { Asked } from './answering.ts';
import { isAbout, noTextFor, refusalOf } from './answering.ts';
import { earlierMessages } from './earlier-messages.ts';
import type { SessionState } from './session-screen.ts';
import { restingState, SessionScreen, viewOf } from './session-screen.ts';
import { withCutMessages } from './with-cut-messages.ts';

/** One run of the session, and its actor. */
interface SessionRun {
  readonly actor: RunActor;
  /** Number of the last processed event. */
  last: number;
  isOver: boolean;
  /** Texts that were streaming when it was stopped. */
  cut: Progress['speeches'];
}

/** The untyped part of an actor that is used here. */
interface RunActor {
  start(): unknown;
  stop(): unknown;
  send(command: AgentCommand): void;
  getSnapshot(): {
    can(command: AgentCommand): boolean;
    readonly context: { readonly requests: readonly Asked[] };
  };
}

/**
 * A conversation with an agent, one run after the other: `useAgent` without React.
 *
 * I1 There is one run at a time, by an actor of the agent's logic.
 * I2 It runs while it is attached. If detached for more than a microtask, its actor is stopped; attached again, it continues.
 * I3 The view is the same object as long as nothing changes.
 */
export class AgentSession<Input, Output> {
  readonly name: string;
  readonly getSnapshot: () => AgentSessionView<Input, Output>;
  readonly subscribe: (listener: () => void) => () => void;
  #agent: ViewedAgent<Input, Output>;
  #options: UseAgentOptions<Input>;
  /** The thread of its runs, unless the caller gives one. */
  readonly #thread = `session-${randomId()}`;
  #threads: Threads | undefined;
  /** The thread begins with the given history. */
  #isContinued = false;
  #run: SessionRun | undefined;
  #following: { unsubscribe(): void } | undefined;
  #isAttached = false;
  #isRunning = false;
  readonly #screen: SessionScreen<SessionState, AgentSessionView<Input, Output>>;

  constructor(agent: ViewedAgent<Input, Output>, options: UseAgentOptions<Input>) {
    this.name = agent.name;
    this.#agent = agent;
    this.#options = options;
    const messages = earlierMessages(options.history, agent.name);
    this.#screen = new SessionScreen(restingState(messages), (state) => viewOf(state, this.#controls));
    this.getSnapshot = this.#screen.getSnapshot;
    this.subscribe = this.#screen.subscribe;
  }

  /** Sets the agent and options of the next run. */
  update(agent: ViewedAgent<Input, Output>, options: UseAgentOptions<Input>): void {
    this.#agent = agent;
    this.#options = options;
  }

  /** Attaches an observer: the run starts or continues. Returns a function that detaches it. */
  readonly attach = (): (() => void) => {
    this.#isAttached = true;
    if (this.#run === undefined && this.#options.input !== undefined) this.#begin(this.#options.input);
    else this.#goOn();
    return () => {
      this.#isAttached = false;
      // StrictMode and fast refresh detach and attach at once.
      queueMicrotask(() => {
        if (!this.#isAttached) this.#rest();
      });
    };
  };

  readonly send = (input: Input): boolean => {
    const run = this.#run;
    if (run === undefined || run.isOver) return this.#begin(input);
    if (typeof input !== 'string') {
      this.#change({ failure: noTextFor(this.name) });
      return false;
    }
    run.actor.send({ type: 'send', message: input });
    return true;
  };

  readonly command = (command: AgentCommand): boolean => {
    if (this.#run === undefined || this.#run.isOver) return false;
    this.#run.actor.send(command);
    return true;
  };

  readonly stop = (reason?: string): boolean => {
    if (this.#run !== undefined) this.#run.cut = this.#screen.state.progress.speeches;
    return this.command({ type: 'abort', reason });
  };

  /** Answers a request; false, with the reason in `error`, if none is open that could be answered so. */
  readonly answer = (command: AnswerCommand): boolean => {
    const open = waitingRequests(this.#screen.state.progress);
    const isPossible =
      this.#run !== undefined && !this.#run.isOver && canAnswer(command, open, this.#run.actor);
    if (isPossible && this.#screen.state.failure !== undefined) this.#change({ failure: undefined });
    if (isPossible) return this.command(command);
    this.#change({
      failure: refusalOf(
        command,
        open.some((request) => isAbout(command, request)),
      ),
    });
    return false;
  };

  #begin(input: Input): boolean {
    this.#leave();
    const { lastSaid, speaker, text } = this.#screen.state.progress;
    const messages = this.#screen.state.hasBegun
      ? this.#screen.state.progress.messages
      : earlierMessages(this.#options.history, this.name);
    try {
      const actor: RunActor = createActor(this.#agent.logicWith(this.#runOptions()), { input });
      this.#run = { actor, last: -1, isOver: false, cut: [] };
    } catch (thrown) {
      this.#run = undefined;
      this.#change({ failure: errorData(thrown, 'agent.invalid'), hasBegun: true });
      return false;
    }
    this.#change({
      progress: { ...noProgress, messages, lastSaid, speaker, text },
      hasBegun: true,
      failure: undefined,
    });
    this.#goOn();
    return true;
  }

  #runOptions() {
    const { input: _, history, ...given } = this.#options;
    // A component that is hidden is shown again: an abort in a store would be for good.
    const options = given.store === undefined ? given : { ...given, onStop: given.onStop ?? 'suspend' };
    if (options.thread !== undefined) return { ...options, history };
    this.#threads ??= options.threads ?? threads(memoryStore().files('threads'));
    const inThread = { ...options, thread: this.#thread, threads: this.#threads };
    if (history === undefined || this.#isContinued) return inThread;
    this.#continue(history);
    return { ...inThread, history };
  }

  /** Puts the given history at the beginning of the thread, for the runs after the first. */
  #continue(given: NonNullable<LogicOptions['history']>): void {
    const turns = given.filter(isReference);
    if (turns.length < given.length) return;
    const over = (isContinued: boolean) => () => {
      this.#isContinued = isContinued;
    };
    // The run that is given an invalid history reports it.
    this.#threads?.append(this.#thread, { turns }).then(over(true), over(false));
  }

  /** Starts the actor, initially or again. */
  #goOn(): void {
    const run = this.#run;
    if (run === undefined || run.isOver || this.#isRunning || !this.#isAttached) return;
    this.#isRunning = true;
    run.actor.start();
    this.#following = eventsOf(run.actor, { from: run.last + 1 }).subscribe((event) => {
      if (this.#run === run) this.#take(run, event);
    });
  }

  #rest(): void {
    if (!this.#isRunning) return;
    this.#leave();
    if (this.#run?.isOver === false) this.#run.actor.stop();
  }

  #leave(): void {
    this.#isRunning = false;
    this.#following?.unsubscribe();
    this.#following = undefined;
  }

  #take(run: SessionRun, event: LiveEvent): void {
    if (isLogged(event)) {
      if (event.seq <= run.last) return;
      run.last = event.seq;
    }
    if (event.type === 'run.ended') run.isOver = true;
    const folded = foldProgress(this.#screen.state.progress, event);
    const isStopped = event.type === 'run.ended' && event.status === 'aborted';
    const progress = isStopped ? withCutMessages(folded, run.cut, event.at) : folded;
    if (progress !== this.#screen.state.progress) this.#change({ progress });
  }

  #change(news: Partial<SessionState>): void {
    this.#screen.change({ ...news, hasNoRun: this.#run === undefined });
  }

  /** Shared by all views. */
  readonly #controls: SessionControls<Input> = {
    send: this.send,
    stop: this.stop,
    pause: () => this.command({ type: 'pause' }),
    resume: () => this.command({ type: 'resume' }),
    approve: (id: string, options: { readonly input?: Json | undefined } = {}) =>
      this.answer({ type: 'approve', id, input: checkApproval(options).input }),
    deny: (id: string, reason?: string) => this.answer({ type: 'deny', id, reason }),
    reply: (text: string, id?: string) => this.answer({ type: 'reply', text, id }),
  };
}

/** Checks that a turn has no bytes of media in it, which no thread can keep: each run reads those anew. */
const isReference = (turn: Turn<GivenPart>): turn is Turn =>
  (turn.parts ?? []).every((part) => part.type === 'data' || !('data' in part));

/** An answer to a request, as the actor takes it. */
type AnswerCommand = Extract<AgentCommand, { type: 'approve' | 'deny' | 'answer' | 'reply' }>;

/** Checks whether a request can be answered so: also one that a run that was shown again is about to open. */
const canAnswer = (command: AnswerCommand, open: readonly Asked[], actor: RunActor): boolean => {
  const snapshot = actor.getSnapshot();
  if (snapshot.can(command)) return true;
  const asked = open.find((request) => isAbout(command, request));
  return asked !== undefined && !snapshot.context.requests.some(({ id }) => id === asked.id);
};
