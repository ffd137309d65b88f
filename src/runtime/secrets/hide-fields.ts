import type { Json } from '../../contracts/json.ts';
import { isJsonObject, toJson } from '../../contracts/json.ts';
import type { ModelDelta } from '../../contracts/model.ts';
import type { Tool, ToolCall, ToolResult } from '../../contracts/tool.ts';
import type { SecretFields } from '../../tools/secret-fields.ts';
import { secretFieldsIn, secretFieldsOf } from '../../tools/secret-fields.ts';
import type { ToolRegistry } from '../../tools/tool-registry.ts';
import type { Definition } from '../define/definition.ts';
import { definitionOf } from '../define/definition.ts';
import type { RunSecrets } from './run-secrets.ts';

/** Hides what is marked as secret in the input of an agent; of a team, by the schemas of its members, as it is handed on to them. */
export const hideInput = (secrets: RunSecrets, definition: Definition, input: unknown): void => {
  for (const fields of inputFieldsOf(definition)) secrets.hide(fields, toJson(input), 'input');
};

const known = new WeakMap<Definition, readonly SecretFields[]>();

const inputFieldsOf = (definition: Definition): readonly SecretFields[] => {
  const before = known.get(definition);
  if (before !== undefined) return before;
  // One that is a member of itself has nothing to add.
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

/** The names of the fields that an agent or a team, and whoever works for it, marks as secret, as far as that is known before it runs. */
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

/** An agent whose schemas mark what is secret, and where that is hidden. */
interface Marking {
  readonly definition: Definition;
  readonly tools: ToolRegistry;
  readonly secrets: RunSecrets;
}

const toolOf = ({ tools }: Marking, name: string): Tool | undefined => tools.find(name);

/** Hides what the tools of an agent mark of the arguments that they are called with. */
export const hideCalls = (actor: Marking, calls: readonly Pick<ToolCall, 'name' | 'input'>[]): void => {
  for (const { name, input } of calls) {
    const tool = toolOf(actor, name);
    const fields = tool === undefined ? undefined : secretFieldsOf(tool.parameters);
    if (fields !== undefined) actor.secrets.hide(fields, toJson(input), name);
  }
};

/** Hides what a tool marks of its value, and the agent of an answer that it completes with. */
export const hideResult = (actor: Marking, result: ToolResult): void => {
  if (!result.ok) return;
  const schema = toolOf(actor, result.tool)?.outputSchema;
  if (schema !== undefined) actor.secrets.hide(secretFieldsOf(schema), result.value, result.tool);
  if (result.control?.type === 'complete') hideAnswer(actor, result.control.answer);
};

/** Hides what an agent marks of its answer. */
export const hideAnswer = (actor: Marking, answer: Json | undefined): void => {
  const fields = answerFieldsOf(actor);
  if (fields !== undefined && answer !== undefined) actor.secrets.hide(fields, answer, 'answer');
};

const answerFieldsOf = ({ definition }: Marking): SecretFields | undefined =>
  secretFieldsIn(definition.agent?.schemas.output);

/** Hides what is marked in the words of a model, where those are to be the answer. */
export const hideSaid = (actor: Marking, text: string): void => {
  const fields = answerFieldsOf(actor);
  if (fields !== undefined) actor.secrets.hide(fields, text, 'answer');
};

/** Hides all of what a model had said when it broke off, where it was to have secrets in it. */
export const hideBrokenOff = (actor: Marking, text: string): void => {
  if (answerFieldsOf(actor) !== undefined) actor.secrets.hideText(text, 'answer');
};

/** Redacts what is marked in a decision, by a model or the agent itself. */
export const hideDecided = (actor: Marking, output: unknown): void => {
  if (!isJsonObject(output)) return;
  const { calls, decision } = output;
  if (Array.isArray(calls)) hideCalls(actor, calls.filter(isCall));
  if (!isJsonObject(decision)) return;
  if (Array.isArray(decision['calls'])) hideCalls(actor, decision['calls'].filter(isCall));
  if (decision['kind'] === 'answer') hideAnswer(actor, decision['answer']);
};

const isCall = (call: unknown): call is Pick<ToolCall, 'name' | 'input'> =>
  isJsonObject(call) && typeof call['name'] === 'string' && 'input' in call;

/** Hides what a person typed, where the tool that asked marks what it gives. */
export const hideTyped = (actor: Marking, tool: string, text: string): void => {
  const schema = toolOf(actor, tool)?.outputSchema;
  if (schema !== undefined && secretFieldsOf(schema) !== undefined) actor.secrets.hideText(text, tool);
};

/** Checks whether a piece of an answer has to wait for the whole: which of it is secret is known only then. */
export const waitsForWhole = (actor: Marking, delta: ModelDelta): boolean => {
  if (delta.type === 'text') return answerFieldsOf(actor) !== undefined;
  if (delta.type !== 'tool-call') return false;
  const tool = delta.name === undefined ? undefined : toolOf(actor, delta.name);
  if (tool !== undefined) return secretFieldsOf(tool.parameters) !== undefined;
  return actor.tools.specs().some(({ parameters }) => secretFieldsOf(parameters) !== undefined);
};
