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

/** The tool by which an agent gives its task to another one, in a set of its own: the run waits until what it gave up is cancelled there. */
export const remoteToolset = (place: Place): Toolset => ({
  name: NAMESPACE,
  tools: [],
  open: ({ hide }) => {
    const underWay = new Set<Promise<unknown>>();
    return {
      tools: [remoteTool(place, hide, underWay)],
      listed: {},
      close: async () => {
        const late = (): Error => new Error('it does not end');
        const ended = Promise.allSettled(underWay);
        await Promise.resolve(withinTime(ended, { ms: 2 * CANCEL_MS, clock: systemClock, late })).catch(
          nothing,
        );
      },
    };
  },
});

const remoteTool = (
  { name, url, headers, auth, hosts, fetch = globalThis.fetch, timeoutMs = TIMEOUT_MS }: Place,
  hide: (secret: string, name: string) => void,
  underWay: Set<Promise<unknown>>,
) => {
  const perform = async (task: Json, context: ToolContext) => {
    const client = await connectTo({ name, url: new URL(url), headers, auth, hosts, fetch, hide });
    const remote = new RemoteTask({ name, client, context });
    try {
      const { text, data, files } = await remote.follow(await wireParts(task, context.bytesOf));
      return dual({ text: text === '' ? JSON.stringify(data) : text, parts: files, value: { text, data } });
    } catch (thrown) {
      // One whose run continues elsewhere is left alone.
      if (!remote.isOver && !isLeft(context.signal.reason)) await cancelRemote(client, remote);
      throw thrown;
    }
  };
  return tool({
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
    // Asked of a call without a checkpoint only, which is committed before anything is sent.
    whatBecame: () => undefined,
    describe: () => `Asking ${name}`,
    execute: (input: Json, context) => {
      const work = perform(isJsonObject(input) ? (input['task'] ?? null) : null, context);
      underWay.add(work);
      const done = (): void => {
        underWay.delete(work);
      };
      work.then(done, done);
      return work;
    },
  });
};

/** Cancels a task that nobody waits for any more; a server that does not answer in time keeps it. */
const cancelRemote = async (client: Client, remote: RemoteTask): Promise<void> => {
  const limit = new AbortController();
  const late = (): Error => {
    limit.abort();
    return new Error('it does not answer');
  };
  const cancel = async (): Promise<void> => {
    const options = { signal: limit.signal };
    const id = await remote.idThere(options);
    if (id !== undefined) await client.cancelTask({ tenant: '', id, metadata: undefined }, options);
  };
  await Promise.resolve(withinTime(cancel(), { ms: CANCEL_MS, clock: systemClock, late })).catch(nothing);
};

const nothing = (): void => undefined;
