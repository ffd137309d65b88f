import type { Json } from '../../base/json/json.ts';
import { isJsonObject, toJson } from '../../base/json/json.ts';
import type { ModelDelta } from '../../contracts/models/model.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import type { SecretFields } from '../../tools/schemas/secret-fields.ts';
import { secretFieldsIn, secretFieldsOf } from '../../tools/schemas/secret-fields.ts';
import type { ToolRegistry } from '../../tools/define/tool-registry.ts';
import type { Definition } from '../define/definition.ts';
import { definitionOf } from '../define/definition.ts';
import type { RunSecrets } from './run-secrets.ts';

/** Hides the secret fields in an agent's input; in a team's, by the schemas of its members. */
export const hideInput = (secrets: RunSecrets, definition: Definition, input: unknown): void => {
  for (const fields of inputFieldsOf(definition)) secrets.hide(fields, toJson(input), 'input');
};

const known = new WeakMap<Definition, readonly SecretFields[]>();

const inputFieldsOf = (definition: Definition): readonly SecretFields[] => {
  const before = known.get(definition);
  if (before !== undefined) return before;
  // Set first, as a definition may be its own member.
  known.set(definition, []);
  const own = secretFieldsIn(definition.agent?.schemas.input);
  const found =
    definition.agent === undefined
      ? [...definition.members.values()].flatMap(inputFieldsOf)
      : own === undefined
        ? []
        : [own];
  known.set(definition, found);
  return found;
};

const marked = new WeakMap<Definition, readonly string[]>();

/** Names of the fields that an agent or team, its members and its delegates mark as secret, as far as known before a run. */
export const markedFields = (definition: Definition): readonly string[] => {
  const before = marked.get(definition);
  if (before !== undefined) return before;
  marked.set(definition, []);
  const { agent, members } = definition;
  const tools = (agent?.tools ?? []).flatMap((item) => ('tools' in item ? item.tools : [item]));
  const helpers = tools.flatMap(
    ({ delegates }) => delegates?.to.flatMap((each) => definitionOf(each) ?? []) ?? [],
  );
  const found = new Set([
    ...(secretFieldsIn(agent?.schemas.input)?.names ?? []),
    ...(secretFieldsIn(agent?.schemas.output)?.names ?? []),
    ...tools.flatMap(({ name, parameters, outputSchema }) =>
      [parameters, outputSchema ?? {}].flatMap((schema) =>
        (secretFieldsOf(schema)?.names ?? []).map((field) => (field === '' ? name : `${name}.${field}`)),
      ),
    ),
    ...[...members.values(), ...helpers].flatMap(markedFields),
  ]);
  const names = [...found].map((name) => (name === '' ? definition.name : name));
  marked.set(definition, names);
  return names;
};

/** An agent whose schemas mark secret fields, and the secrets to register them with. */
interface Marking {
  readonly definition: Definition;
  readonly tools: ToolRegistry;
  readonly secrets: RunSecrets;
}

const toolOf = ({ tools }: Marking, name: string): Tool | undefined => tools.find(name);

type Call = Pick<ToolCall, 'name' | 'input'>;

/** Hides the secret arguments of calls. */
export const hideCalls = (actor: Marking, calls: readonly Call[]): void => {
  if (actor.tools.hasSecretFields) for (const call of calls) hideCall(actor, call);
};

const hideCall = (actor: Marking, { name, input }: Call): void => {
  const tool = toolOf(actor, name);
  const fields = tool === undefined ? undefined : secretFieldsOf(tool.parameters);
  if (fields !== undefined) actor.secrets.hide(fields, toJson(input), name);
};

/** Hides the secret fields of a tool's result, and of an answer that it completes with. */
export const hideResult = (actor: Marking, result: ToolResult): void => {
  if (!result.ok) return;
  const schema = actor.tools.hasSecretFields ? toolOf(actor, result.tool)?.outputSchema : undefined;
  if (schema !== undefined) actor.secrets.hide(secretFieldsOf(schema), result.value, result.tool);
  if (result.control?.type === 'complete') hideAnswer(actor, result.control.answer);
};

/** Hides the secret fields of an agent's answer. */
const hideAnswer = (actor: Marking, answer: Json | undefined): void => {
  const fields = answerFieldsOf(actor);
  if (fields !== undefined && answer !== undefined) actor.secrets.hide(fields, answer, 'answer');
};

const answerFieldsOf = ({ definition: { agent } }: Marking): SecretFields | undefined =>
  agent?.schemas.output && secretFieldsIn(agent.schemas.output);

/** Hides the secret fields in a model's text that may become the answer. */
export const hideSaid = (actor: Marking, text: string): void => {
  const fields = answerFieldsOf(actor);
  if (fields !== undefined) actor.secrets.hide(fields, text, 'answer');
};

/** Hides the whole of an interrupted text that would have contained secret fields. */
export const hideBrokenOff = (actor: Marking, text: string): void => {
  if (answerFieldsOf(actor) !== undefined) actor.secrets.hideText(text, 'answer');
};

/** Hides the secret fields in a decision, by a model or the agent itself. */
export const hideDecided = (actor: Marking, output: unknown): void => {
  if (!isJsonObject(output)) return;
  const { calls, decision } = output;
  const decided = isJsonObject(decision) ? decision : {};
  if (actor.tools.hasSecretFields)
    for (const each of [calls, decided['calls']])
      if (Array.isArray(each)) hideCalls(actor, each.filter(isCall));
  if (decided['kind'] === 'answer') hideAnswer(actor, decided['answer']);
};

const isCall = (call: unknown): call is Call =>
  isJsonObject(call) && typeof call['name'] === 'string' && 'input' in call;

/** Hides a person's text if the tool that asked marks its output as secret. */
export const hideTyped = (actor: Marking, tool: string, text: string): void => {
  const schema = toolOf(actor, tool)?.outputSchema;
  if (schema !== undefined && secretFieldsOf(schema) !== undefined) actor.secrets.hideText(text, tool);
};

/** Checks whether a delta has to wait for the whole, as only then its secret fields are known. */
export const waitsForWhole = (actor: Marking, delta: ModelDelta): boolean => {
  if (delta.type === 'text') return answerFieldsOf(actor) !== undefined;
  if (delta.type !== 'tool-call') return false;
  const tool = delta.name === undefined ? undefined : toolOf(actor, delta.name);
  return tool === undefined ? actor.tools.hasSecretFields : secretFieldsOf(tool.parameters) !== undefined;
};
