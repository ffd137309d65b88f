import { canonical } from '../../base/json/canonical.ts';
import { sha256 } from '../../base/sha256.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { OpenToolset, ToolsetOpening } from '../../contracts/tools/tool.ts';
import type { ToolsetHost } from '../../tools/define/tool-registry.ts';
import type { EventLog } from '../log/event-log.ts';
import type { RunSecrets } from '../secrets/run-secrets.ts';

/** The agent that toolsets are opened for. */
interface OpeningAgent {
  readonly path: string;
  readonly agent: string;
  readonly models: readonly Model[];
  readonly secrets: RunSecrets;
}

/** Opens toolsets for an agent: puts on record how their tools were listed, and finds that again when the run is resumed. */
export const toolsetHost = (agent: OpeningAgent, log: Pick<EventLog, 'write' | 'events'>): ToolsetHost => ({
  openingOf(toolset, signal, tools): ToolsetOpening {
    const hidden = new Map<string, readonly string[]>();
    return {
      listed: fingerprintsBefore(toolset, agent.path, log),
      tools,
      get models() {
        return agent.models;
      },
      signal,
      hide: (secret, name) => {
        const values = hidden.get(name) ?? [];
        if (secret.trim() === '' || values.includes(secret)) return;
        // A token that was renewed must not replace the earlier one, which may be in the log by now.
        agent.secrets.give({ [values.length === 0 ? name : `${name} ${values.length + 1}`]: secret });
        hidden.set(name, [...values, secret]);
      },
    };
  },
  opened(toolset: string, { listed: tools, refused = {} }: OpenToolset): void {
    const out = Object.keys(refused).length === 0 ? {} : { refused };
    const hash = sha256(canonical(tools));
    log.write({ type: 'toolset.opened', toolset, hash, tools, ...out }, agent);
  },
});

/** The fingerprints at the first opening in this run: whatever changed since is a change. */
const fingerprintsBefore = (
  toolset: string,
  path: string,
  { events }: Pick<EventLog, 'events'>,
): Readonly<Record<string, string>> | undefined => {
  for (const [index, body] of events.bodies(0).entries())
    if (body.type === 'toolset.opened' && body.toolset === toolset && events.at(index)?.path === path)
      return body.tools;
  return undefined;
};
