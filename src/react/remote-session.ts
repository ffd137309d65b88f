import { isLogged } from '../contracts/events/is-logged.ts';
import type { Connection } from '../client/read-run.ts';
import type { RemoteRun } from '../client/remote-run.ts';
import { waitingRequests } from '../client/select-progress.ts';
import type { LiveEvent } from '../contracts/events/event.ts';
import { errorData, isTroupeError } from '../contracts/errors/error.ts';
import { randomId } from '../base/random-id.ts';
import type { Progress } from '../events/progress/progress.ts';
import { foldProgress, noProgress } from '../events/progress/progress.ts';
import type {
  RemoteSessionView,
  SessionControls,
  UseRemoteAgentOptions,
  ViewedRemoteAgent,
} from './agent-session-view.ts';
import type { Answering } from './answering.ts';
import { isAbout, noTextFor, refusalOf } from './answering.ts';
import type { SessionState } from './session-screen.ts';
import { restingState, SessionScreen, viewOf } from './session-screen.ts';
import { withCutMessages } from './with-cut-messages.ts';

/** One run of the session. */
interface SessionRun<Output> {
  /** Resolves when the server has it. */
  readonly started: Promise<RemoteRun<Output>>;
  /** The run, once the server has it. */
  handle: RemoteRun<Output> | undefined;
  /** Number of the last processed event. */
  last: number;
  isOver: boolean;
  /** Texts that were streaming when it was stopped. */
  cut: Progress['speeches'];
  /** The last of its commands, which go one after the other. */
  sending: Promise<void>;
}

interface RemoteState extends SessionState {
  readonly runId: string | undefined;
  readonly connection: Connection;
  /** Requests whose answers are on their way, or not yet among the events. */
  readonly answered: readonly string[];
}

/**
 * A conversation with an agent of a server, one run after the other: `useAgent` of a remote agent, without React.
 *
 * I1 It follows a run while it is attached. Detached for more than a microtask, it hangs up; attached again, it continues after the last event.
 * I2 A run is the server's: hanging up leaves it alone, unless `onStop` says otherwise.
 * I3 The view is the same object as long as nothing changes.
 */
export class RemoteSession<Input, Output> {
  readonly key: string;
  readonly getSnapshot: () => RemoteSessionView<Input, Output>;
  readonly subscribe: (listener: () => void) => () => void;
  #agent: ViewedRemoteAgent<Input, Output>;
  #options: UseRemoteAgentOptions<Input>;
  readonly #thread = `session-${randomId()}`;
  readonly #screen: SessionScreen<RemoteState, RemoteSessionView<Input, Output>>;
  #run: SessionRun<Output> | undefined;
  #following: AbortController | undefined;
  #isAttached = false;

  constructor(agent: ViewedRemoteAgent<Input, Output>, options: UseRemoteAgentOptions<Input>) {
    this.key = agent.url;
    this.#agent = agent;
    this.#options = options;
    const state = { ...restingState([]), runId: undefined, connection: 'idle' as const, answered: [] };
    this.#screen = new SessionScreen<RemoteState, RemoteSessionView<Input, Output>>(state, (shown) =>
      this.#viewed(shown),
    );
    this.getSnapshot = this.#screen.getSnapshot;
    this.subscribe = this.#screen.subscribe;
  }

  /** Sets the agent and options of the next run. */
  update(agent: ViewedRemoteAgent<Input, Output>, options: UseRemoteAgentOptions<Input>): void {
    this.#agent = agent;
    this.#options = options;
  }

  /** Attaches an observer: the run is started, or followed again. Returns a function that detaches it. */
  readonly attach = (): (() => void) => {
    this.#isAttached = true;
    const { input, runId } = this.#options;
    if (this.#run !== undefined) this.#follow(this.#run);
    else if (runId !== undefined) this.#begin(Promise.resolve(this.#agent.at(runId)));
    else if (input !== undefined) this.#start(input);
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
    if (run === undefined || run.isOver) {
      this.#start(input);
      return true;
    }
    if (typeof input !== 'string') {
      this.#screen.change({ failure: noTextFor(this.#agent.name) });
      return false;
    }
    return this.#command((handle) => handle.send(input));
  };

  readonly stop = (reason?: string): boolean => {
    const run = this.#run;
    if (run !== undefined) run.cut = this.#screen.state.progress.speeches;
    return this.#command(async (handle) => {
      try {
        await handle.abort(reason);
      } catch (thrown) {
        // It ended before it was stopped.
        if (!isTroupeError(thrown, 'run.ended')) throw thrown;
      }
    });
  };

  /** Shared by all views. */
  readonly #controls: SessionControls<Input> = {
    send: this.send,
    stop: this.stop,
    pause: () => this.#command((handle) => handle.pause()),
    resume: () => this.#command((handle) => handle.resume()),
    approve: (id, options = {}) =>
      this.#answer({ type: 'approve', id }, (handle) => handle.approve(id, options)),
    deny: (id, reason) => this.#answer({ type: 'deny', id }, (handle) => handle.deny(id, reason)),
    reply: (text, id = this.#oldestQuestion()) =>
      this.#answer({ type: 'reply', id }, (handle) => handle.reply(id ?? '', text)),
  };

  #start(input: Input): void {
    const { thread = this.#thread } = this.#options;
    this.#begin(this.#agent.start(input, { key: randomId(), ...(thread === false ? {} : { thread }) }));
  }

  #begin(started: Promise<RemoteRun<Output>>): void {
    this.#hangUp();
    const run: SessionRun<Output> = {
      started,
      handle: undefined,
      last: -1,
      isOver: false,
      cut: [],
      sending: Promise.resolve(),
    };
    this.#run = run;
    const { messages, lastSaid, speaker, text } = this.#screen.state.progress;
    this.#screen.change({
      progress: { ...noProgress, messages, lastSaid, speaker, text },
      hasBegun: true,
      failure: undefined,
      hasNoRun: false,
      runId: undefined,
      answered: [],
    });
    started.then(
      (handle) => {
        run.handle = handle;
        if (this.#run === run) this.#screen.change({ runId: handle.runId });
        this.#follow(run);
      },
      (thrown: unknown) => {
        run.isOver = true;
        if (this.#run === run) this.#lose(thrown);
      },
    );
  }

  /** Sends a command after those before it; false if no run is in progress. */
  #command(
    send: (handle: RemoteRun<Output>) => Promise<void>,
    onRefused: () => void = () => undefined,
  ): boolean {
    const run = this.#run;
    if (run === undefined || run.isOver) return false;
    if (this.#screen.state.failure !== undefined) this.#screen.change({ failure: undefined });
    run.sending = run.sending
      .then(async () => send(await run.started))
      .catch((thrown: unknown) => {
        if (this.#run !== run) return;
        this.#screen.change({ failure: errorData(thrown, 'stream.refused') });
        onRefused();
      });
    return true;
  }

  #answer(answer: Answering, send: (handle: RemoteRun<Output>) => Promise<void>): boolean {
    const asked = this.#open(this.#screen.state).find((request) => isAbout(answer, request));
    if (asked === undefined || this.#run === undefined || this.#run.isOver) {
      this.#screen.change({ failure: refusalOf(answer, false) });
      return false;
    }
    this.#screen.change({ answered: [...this.#screen.state.answered, asked.id] });
    return this.#command(send, () => {
      this.#screen.change({ answered: this.#screen.state.answered.filter((id) => id !== asked.id) });
    });
  }

  #open({ progress, answered }: RemoteState): RemoteSessionView['requests'] {
    return waitingRequests(progress).filter(({ id }) => !answered.includes(id));
  }

  #oldestQuestion(): string | undefined {
    return this.#open(this.#screen.state).find(({ kind }) => kind === 'question')?.id;
  }

  #follow(run: SessionRun<Output>): void {
    const { handle } = run;
    if (handle === undefined || this.#run !== run || run.isOver) return;
    if (!this.#isAttached || this.#following !== undefined) return;
    const following = new AbortController();
    this.#following = following;
    const isFollowing = (): boolean => !following.signal.aborted;
    const read = async (): Promise<void> => {
      const chunks = handle.read({
        after: run.last,
        signal: following.signal,
        onConnection: (connection) => {
          if (isFollowing()) this.#connect(connection);
        },
      });
      for await (const events of chunks) if (isFollowing()) this.#take(run, events);
    };
    read().catch((thrown: unknown) => {
      if (!isFollowing()) return;
      this.#following = undefined;
      this.#refuse(run, thrown);
    });
  }

  #connect(connection: Connection): void {
    // What was answered before the connection broke is open again if the server does not know of it: the events say so.
    const isNew = connection === 'connecting';
    this.#screen.change({ connection, ...(isNew ? { answered: [] } : {}) });
  }

  /** The server does not let the run be followed: one of which it knows nothing, or nothing is known here, is no run. */
  #refuse(run: SessionRun<Output>, thrown: unknown): void {
    const isUnknown = isTroupeError(thrown) && thrown.data.status === 404;
    if (isUnknown || run.last < 0) {
      run.isOver = true;
      this.#lose(thrown);
    } else this.#screen.change({ failure: errorData(thrown, 'stream.refused') });
  }

  #lose(thrown: unknown): void {
    this.#run = undefined;
    this.#screen.change({
      failure: errorData(thrown, 'stream.refused'),
      hasNoRun: true,
      connection: 'closed',
    });
  }

  #take(run: SessionRun<Output>, events: readonly LiveEvent[]): void {
    let { progress } = this.#screen.state;
    for (const event of events) {
      if (isLogged(event)) run.last = event.seq;
      progress = foldProgress(progress, event);
      if (event.type !== 'run.ended') continue;
      run.isOver = true;
      if (event.status === 'aborted') progress = withCutMessages(progress, run.cut, event.at);
    }
    if (progress !== this.#screen.state.progress) this.#screen.change({ progress });
  }

  #rest(): void {
    this.#hangUp();
    if (this.#options.onStop === 'abort') this.stop();
  }

  #hangUp(): void {
    this.#following?.abort();
    this.#following = undefined;
    if (this.#run?.isOver === false) this.#screen.change({ connection: 'idle' });
  }

  #viewed(state: RemoteState): RemoteSessionView<Input, Output> {
    const { runId, connection } = state;
    // `requests` is a getter: the view is added to, not copied.
    return Object.defineProperty(
      Object.assign(viewOf<Input, Output>(state, this.#controls), { runId, connection }),
      'requests',
      { get: () => this.#open(state), enumerable: true },
    );
  }
}
