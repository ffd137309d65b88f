import { errorData } from '../contracts/errors/error.ts';
import type { AgentSession } from './agent-session.ts';
import type {
  AgentSessionView,
  SessionControls,
  UseAgentOptions,
  ViewedAgent,
} from './agent-session-view.ts';
import { earlierMessages } from './earlier-messages.ts';
import type { SessionState } from './session-screen.ts';
import { restingState, SessionScreen, viewOf } from './session-screen.ts';

/** The class of sessions, once it is loaded. */
let loaded: typeof AgentSession | undefined;

/**
 * An {@link AgentSession} whose code is loaded when it is attached, as it brings the runtime with it: a page whose agents are all on a server
 * has none of that. Until then it is idle, and keeps what is sent.
 */
export class LoadingSession<Input, Output> {
  readonly key: string;
  #agent: ViewedAgent<Input, Output>;
  #options: UseAgentOptions<Input>;
  readonly #screen: SessionScreen<SessionState, AgentSessionView<Input, Output>>;
  #session: AgentSession<Input, Output> | undefined;
  #detach: (() => void) | undefined;
  #isAttached = false;
  readonly #unsent: Input[] = [];

  constructor(agent: ViewedAgent<Input, Output>, options: UseAgentOptions<Input>) {
    this.key = agent.name;
    this.#agent = agent;
    this.#options = options;
    const state = restingState(earlierMessages(options.history, agent.name));
    this.#screen = new SessionScreen(state, (shown) => viewOf<Input, Output>(shown, this.#controls));
  }

  get subscribe(): (listener: () => void) => () => void {
    return this.#screen.subscribe;
  }

  readonly getSnapshot = (): AgentSessionView<Input, Output> =>
    this.#session?.getSnapshot() ?? this.#screen.getSnapshot();

  /** Sets the agent and options of the next run. */
  update(agent: ViewedAgent<Input, Output>, options: UseAgentOptions<Input>): void {
    this.#agent = agent;
    this.#options = options;
    this.#session?.update(agent, options);
  }

  readonly attach = (): (() => void) => {
    this.#isAttached = true;
    this.#open();
    return () => {
      this.#isAttached = false;
      this.#detach?.();
      this.#detach = undefined;
    };
  };

  #open(): void {
    if (!this.#isAttached || this.#detach !== undefined) return;
    if (this.#session === undefined) {
      if (loaded === undefined) {
        this.#load();
        return;
      }
      this.#session = new loaded(this.#agent, this.#options);
      this.#session.subscribe(() => {
        this.#screen.change({});
      });
    }
    this.#detach = this.#session.attach();
    for (const input of this.#unsent.splice(0)) this.#session.send(input);
    this.#screen.change({});
  }

  #load(): void {
    import('./agent-session.ts').then(
      (module) => {
        loaded = module.AgentSession;
        this.#open();
      },
      (thrown: unknown) => {
        this.#unsent.length = 0;
        this.#screen.change({ failure: errorData(thrown, 'agent.invalid'), hasBegun: true });
      },
    );
  }

  /** Shared by all views of the time before it is loaded, which components may keep. */
  readonly #controls: SessionControls<Input> = {
    send: (input) => {
      if (this.#session !== undefined) return this.#session.send(input);
      this.#unsent.push(input);
      this.#screen.change({ hasBegun: true, failure: undefined });
      this.#open();
      return true;
    },
    stop: (reason) => this.#session?.stop(reason) ?? false,
    pause: () => this.#loaded?.pause() ?? false,
    resume: () => this.#loaded?.resume() ?? false,
    approve: (id, options) => this.#loaded?.approve(id, options) ?? false,
    deny: (id, reason) => this.#loaded?.deny(id, reason) ?? false,
    reply: (text, id) => this.#loaded?.reply(text, id) ?? false,
  };

  get #loaded(): SessionControls<Input> | undefined {
    return this.#session?.getSnapshot();
  }
}
