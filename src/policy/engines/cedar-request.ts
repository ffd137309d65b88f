import type { CedarValueJson, EntityJson, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject } from '../../base/json/json.ts';
import { isJsonObject } from '../../base/json/json.ts';
import type { CedarRecord } from './cedar-value.ts';
import { cedarCall, cedarRecord, cedarValue } from './cedar-value.ts';
import type { DescribedCall } from './described-call.ts';

/** A call as a request to Cedar, with the entities that it is about. */
export interface CedarRequest {
  readonly principal: TypeAndId;
  readonly action: TypeAndId;
  readonly resource: TypeAndId;
  readonly context: CedarRecord;
  readonly entities: readonly object[];
}

/** Makes the request of a call; `known` are the app's own entities, which Cedar has accepted and ours are added to. */
export const cedarRequest = (call: DescribedCall, known: readonly JsonObject[]): CedarRequest => {
  const principal = { type: 'Agent', id: call.agent };
  const resource = { type: 'Tool', id: call.tool };
  // An agent may have started another of its own name: nothing is within itself.
  const above = [...new Set(call.above)].filter((name) => name !== call.agent);
  const agents = above.map((id): TypeAndId => ({ type: 'Agent', id }));
  const toolsets = call.toolset === undefined ? [] : [{ type: 'Toolset', id: call.toolset }];
  const ours: readonly EntityJson[] = [
    { uid: principal, attrs: {}, parents: [...agents, { type: 'Role', id: call.role }] },
    {
      uid: resource,
      attrs: cedarRecord({ safety: call.safety, category: call.category, tags: call.tags }),
      parents: toolsets,
    },
  ];
  return {
    principal,
    action: { type: 'Action', id: call.tool },
    resource,
    context: contextOf(call),
    entities: mergeEntities(known, ours),
  };
};

const contextOf = ({ input, path, environment, after, time, also }: DescribedCall): CedarRecord => {
  const context: Record<string, CedarValueJson> = {
    input: input === null ? {} : cedarValue(input),
    path,
    after: [...after],
    time: cedarCall('datetime', time),
  };
  if (environment !== undefined) context['environment'] = environment;
  if (also !== undefined) context['also'] = cedarRecord(also);
  return context;
};

/** Adds entities to those that are known: of one that is in both, the attributes and parents of both, ours first. */
const mergeEntities = (known: readonly JsonObject[], ours: readonly EntityJson[]): readonly object[] => {
  const others = new Map(known.map((entity) => [uidText(entity['uid']), entity]));
  const merged = new Map<string, object>(others);
  for (const entity of ours) {
    const uid = uidText(entity.uid);
    const other = others.get(uid);
    merged.set(uid, other === undefined ? entity : bothEntities(other, entity));
  }
  return [...merged.values()];
};

const bothEntities = (known: JsonObject, ours: EntityJson): object => {
  const parents: readonly unknown[] = Array.isArray(known['parents']) ? known['parents'] : [];
  return {
    ...known,
    attrs: { ...(isJsonObject(known['attrs']) ? known['attrs'] : {}), ...ours.attrs },
    parents: [...new Map([...parents, ...ours.parents].map((parent) => [uidText(parent), parent])).values()],
  };
};

/** The identity of an entity, in either of the forms that Cedar takes. */
const uidText = (uid: unknown): string => {
  const named = isJsonObject(uid) && '__entity' in uid ? uid['__entity'] : uid;
  return isJsonObject(named) ? JSON.stringify([named['type'], named['id']]) : JSON.stringify(named);
};
