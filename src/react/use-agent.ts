import { useEffect, useState, useSyncExternalStore } from 'react';
import { TroupeError } from '../contracts/errors/error.ts';
import { foundText } from '../contracts/errors/found-text.ts';
import type {
  AgentSessionView,
  RemoteSessionView,
  UseAgentOptions,
  UseRemoteAgentOptions,
  ViewedAgent,
  ViewedRemoteAgent,
} from './agent-session-view.ts';
import { LoadingSession } from './loading-session.ts';
import { RemoteSession } from './remote-session.ts';

/** The agents that a component may use: of this page, or of a server. */
interface UseAgent {
  <Input, Output>(
    agent: ViewedAgent<Input, Output>,
    options?: UseAgentOptions<Input>,
  ): AgentSessionView<Input, Output>;
  <Input, Output>(
    agent: ViewedRemoteAgent<Input, Output>,
    options?: UseRemoteAgentOptions<Input>,
  ): RemoteSessionView<Input, Output>;
}

function useEitherAgent<Input, Output>(
  agent: ViewedAgent<Input, Output>,
  options?: UseAgentOptions<Input>,
): AgentSessionView<Input, Output>;
function useEitherAgent<Input, Output>(
  agent: ViewedRemoteAgent<Input, Output>,
  options?: UseRemoteAgentOptions<Input>,
): RemoteSessionView<Input, Output>;
function useEitherAgent<Input, Output>(
  agent: ViewedAgent<Input, Output> | ViewedRemoteAgent<Input, Output>,
  options: UseAgentOptions<Input> | UseRemoteAgentOptions<Input> = {},
): AgentSessionView<Input, Output> {
  const used: Use<Input, Output> = { agent, options };
  // Both call the same hooks: a component may also change from one to the other.
  if (isRemote(used)) return useRemoteSession(used.agent, used.options);
  if (isLocal(used)) return useLocalSession(used.agent, used.options);
  throw notUsable(`it is not an agent: ${foundText(agent)}`);
}

/**
 * An agent or a team as a component uses it: its streaming text, activity and requests, and the functions to talk with it. Consecutive runs
 * are one conversation.
 *
 * The run of an agent of this page lives as long as the component is mounted. Mounted twice by StrictMode, or refreshed after an edit, it is not started twice;
 * hidden by `<Activity>` it is stopped, and continues when it is shown again (an interrupted tool call is repeated only if that is safe);
 * unmounted it is aborted, or suspended in a `store` (unless `onStop: 'abort'`). Rendered on a server it is `idle`.
 *
 * The run of an agent of a server (`agent` of `connect`) is the server's: it goes on while the component is hidden or unmounted (unless
 * `onStop: 'abort'`), and is followed again when it is shown. A connection that breaks is resumed after the last event.
 *
 * An agent recreated under the same name, inline or by an edit, is used from the next run on; another name, or another server, starts a new session.
 *
 * @example
 * const { messages, text, isStreaming, send, stop } = useAgent(clerk);
 *
 * @example
 * const desk = connect<typeof service>('/api');
 * const { messages, requests, approve, connection } = useAgent(desk.agent('clerk'));
 *
 * @throws {TroupeError} `agent.invalid` for what is not an agent, or not an object of options that it takes.
 */
export const useAgent: UseAgent = useEitherAgent;

interface Use<Input, Output> {
  readonly agent: ViewedAgent<Input, Output> | ViewedRemoteAgent<Input, Output>;
  readonly options: UseAgentOptions<Input> | UseRemoteAgentOptions<Input>;
}

interface LocalUse<Input, Output> {
  readonly agent: ViewedAgent<Input, Output>;
  readonly options: UseAgentOptions<Input>;
}

interface RemoteUse<Input, Output> {
  readonly agent: ViewedRemoteAgent<Input, Output>;
  readonly options: UseRemoteAgentOptions<Input>;
}

/** Checks whether the agent is one of this page; the options are its own, as the signatures have it. JavaScript callers may pass anything. */
const isLocal = <Input, Output>(used: Use<Input, Output>): used is LocalUse<Input, Output> =>
  hasMethod(used.agent, 'logicWith');

/** The same for an agent of a server. */
const isRemote = <Input, Output>(used: Use<Input, Output>): used is RemoteUse<Input, Output> =>
  hasMethod(used.agent, 'start') && !hasMethod(used.agent, 'logicWith');

const hasMethod = (agent: unknown, name: string): boolean =>
  typeof Reflect.get(Object(agent), name) === 'function';

const useLocalSession = <Input, Output>(
  agent: ViewedAgent<Input, Output>,
  options: UseAgentOptions<Input>,
): AgentSessionView<Input, Output> => {
  assertOptions(options);
  return useSession({
    key: agent.name,
    make: () => new LoadingSession(agent, options),
    update: (session) => {
      session.update(agent, options);
    },
  });
};

const useRemoteSession = <Input, Output>(
  agent: ViewedRemoteAgent<Input, Output>,
  options: UseRemoteAgentOptions<Input>,
): RemoteSessionView<Input, Output> => {
  assertRemoteOptions(options);
  return useSession({
    key: agent.url,
    make: () => new RemoteSession(agent, options),
    update: (session) => {
      session.update(agent, options);
    },
  });
};

/** A session as a component has it. */
interface Session<View> {
  readonly key: string;
  readonly getSnapshot: () => View;
  readonly subscribe: (listener: () => void) => () => void;
  readonly attach: () => () => void;
}

interface SessionUse<Used> {
  /** Another one starts a new session. */
  readonly key: string;
  readonly make: () => Used;
  readonly update: (session: Used) => void;
}

const useSession = <View, Used extends Session<View>>({
  key,
  make,
  update,
}: SessionUse<Used & Session<View>>): View => {
  const [known, setKnown] = useState(make);
  let session = known;
  if (known.key !== key) {
    session = make();
    setKnown(session);
  }
  // Runs before attaching, which comes after it in the same component.
  useEffect(() => {
    update(session);
  });
  useEffect(() => session.attach(), [session]);
  const { getSnapshot } = session;
  const [idle] = useState(() => getSnapshot());
  return useSyncExternalStore(session.subscribe, getSnapshot, () => idle);
};

const assertOptions = (options: unknown): void => {
  if (typeof options !== 'object' || options === null)
    throw notUsable(`its options are ${foundText(options)}`);
};

/** Options of {@link UseRemoteAgentOptions}. */
const REMOTE_OPTIONS = ['input', 'runId', 'thread', 'onStop'];

const assertRemoteOptions = (options: object): void => {
  assertOptions(options);
  const given = Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  const unknown = given.find((name) => !REMOTE_OPTIONS.includes(name));
  if (unknown !== undefined)
    throw notUsable(`an agent of a server has no option '${unknown}' here: it is the server's to say`);
  if (given.includes('input') && given.includes('runId'))
    throw notUsable("both 'input' and 'runId' say what it starts with: give one of them");
};

const notUsable = (found: string): TroupeError =>
  new TroupeError('agent.invalid', `Cannot use an agent in a component as ${found}`);
