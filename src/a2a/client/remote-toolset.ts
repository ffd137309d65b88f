import type { Client } from '@a2a-js/sdk/client';
import { systemClock } from '../../base/clock.ts';
import type { Json } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import { withinTime } from '../../base/promises/within-time.ts';
import type { ToolContext, Toolset } from '../../contracts/tools/tool.ts';
import { isLeft } from '../../tools/calls/is-left.ts';
import { dual } from '../../tools/calls/tool-result.ts';
import { tool } from '../../tools/define/define-tool.ts';
import { wireParts } from '../wire-parts.ts';
import type { A2aAgentOptions } from './a2a-options.ts';
import { connectTo } from './remote-party.ts';
import { RemoteTask } from './remote-task.ts';

/** Time limit of a task, in ms. */
const TIMEOUT_MS = 3_600_000;
/** Time limit of cancelling a task, in ms. */
const CANCEL_MS = 5_000;

/** The namespace of the tool, which is the origin of what another agent says: a policy names it. */
export const NAMESPACE = 'a2a';

/** The place of an agent, for its tool. */
export type Place = Pick<
  A2aAgentOptions,
  'name' | 'url' | 'headers' | 'auth' | 'hosts' | 'fetch' | 'timeoutMs'
>;

/** The tool by which an agent gives its task to another one, in a set of its own: the run waits for what is cancelled at its end. */
export const remoteToolset = (place: Place): Toolset => {
  const cancelling = new Set<Promise<void>>();
  return {
    name: NAMESPACE,
    tools: [],
    open: ({ hide }) => ({ tools: [remoteTool(place, hide, cancelling)], listed: {} }),
    teardown: async () => {
      await Promise.all(cancelling);
    },
  };
};

const remoteTool = (
  { name, url, headers, auth, hosts, fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS }: Place,
  hide: (secret: string, name: string) => void,
  cancelling: Set<Promise<void>>,
) =>
  tool({
    name,
    description: `Gives a task to the agent '${name}', which is somewhere else.`,
    category: NAMESPACE,
    dynamicSchema: true,
    parameters: { type: 'object' },
    safety: 'write',
    idempotent: false,
    // A message that may have arrived is looked for by the call itself.
    retry: false,
    timeoutMs,
    describe: () => `Asking ${name}`,
    execute: async (input: Json, context) => {
      const client = await connectTo({ name, url: new URL(url), headers, auth, hosts, fetch, hide });
      const task = isJsonObject(input) ? (input['task'] ?? null) : null;
      const remote = new RemoteTask({ name, client, context });
      try {
        const { text, data, files } = await remote.follow(await wireParts(task, context.bytesOf));
        return dual({ text: text === '' ? JSON.stringify(data) : text, parts: files, value: { text, data } });
      } catch (thrown) {
        if (!remote.isOver) cancelRemote(client, remote, context, cancelling);
        throw thrown;
      }
    },
  });

/** Cancels a task that nobody waits for any more; one whose run continues elsewhere is left alone. */
const cancelRemote = (
  client: Client,
  { taskId }: RemoteTask,
  { signal }: Pick<ToolContext, 'signal'>,
  cancelling: Set<Promise<void>>,
): void => {
  if (taskId === undefined || isLeft(signal.reason)) return;
  const limit = new AbortController();
  const late = (): Error => {
    limit.abort();
    return new Error('it does not answer');
  };
  const asked = client.cancelTask({ tenant: '', id: taskId, metadata: undefined }, { signal: limit.signal });
  // One that does not answer keeps it.
  const nothing = (): void => undefined;
  const whole = Promise.resolve(withinTime(asked, { ms: CANCEL_MS, clock: systemClock, late }))
    .then(nothing, nothing)
    .finally(() => cancelling.delete(whole));
  cancelling.add(whole);
};
