import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { messageOf, TroupeError } from '../../contracts/errors/error.ts';
import type { FaultKind } from '../resilience/fault.ts';
import { faultKinds } from '../resilience/fault.ts';

/** A call that a generated model makes. */
export interface WantedCall {
  readonly name: string;
  readonly input: Json;
}

/** The behaviours of a person beside saying yes at once. */
export const peopleSay = ['no', 'never', 'twice'] as const;

/** The acts of a caller. */
export const callersDo = ['abort', 'message', 'pause'] as const;

/** Everything that is decided at places of a run; what is not is calm: answers come at once, in the order of their requests, and nothing fails. */
export interface Choosable {
  /** The input of the run, in place of the first one. */
  readonly input: Json;
  readonly fault: FaultKind;
  /** Time until an answer, an act or a resumption comes, in ms. */
  readonly afterMs: number;
  /** The turn among what is due at the same time: below 0 before others, above 0 after them. */
  readonly turn: number;
  /** The calls of a generated model, in place of its answer. */
  readonly calls: readonly WantedCall[];
  /** The answer of a generated model, of a simulated tool, or of a person to a question. */
  readonly answer: Json;
  readonly says: (typeof peopleSay)[number];
  readonly does: (typeof callersDo)[number];
}

export type Aspect = keyof Choosable;

/**
 * One decision of a seed: what happens at a place, otherwise than in a calm run. A place is a call of a model or a tool by its key, a write to the store
 * or a resumption by its number, a request to a person, or an act of the caller.
 */
export type Decision = {
  readonly [What in Aspect]: { readonly at: string; readonly what: What; readonly value: Choosable[What] };
}[Aspect];

/** A run as a list of decisions: the same list makes the same run. Plain JSON. */
export interface Script {
  readonly agent: string;
  /** The seed that made it: it also decides how far retries are spread. */
  readonly seed: number;
  readonly decisions: readonly Decision[];
}

const at = z.string().min(1);
const json = z.json();
const deciding = <What extends Aspect, Value extends z.ZodType>(what: What, value: Value) =>
  z.strictObject({ at, what: z.literal(what), value });

const scriptSchema = z.strictObject({
  agent: z.string().min(1),
  seed: z.int().min(0),
  decisions: z.array(
    z.discriminatedUnion('what', [
      deciding('input', json),
      deciding('fault', z.enum(faultKinds)),
      deciding('afterMs', z.number().min(0)),
      deciding('turn', z.int()),
      deciding('calls', z.array(z.strictObject({ name: z.string(), input: json }))),
      deciding('answer', json),
      deciding('says', z.enum(peopleSay)),
      deciding('does', z.enum(callersDo)),
    ]),
  ),
});

/** Parses a script, as a report or a file has it. @throws {TroupeError} `input.invalid` */
export const parseScript = (given: unknown): Script => {
  const { data, error } = scriptSchema.safeParse(given);
  if (error !== undefined) throw noScript(z.prettifyError(error).replaceAll('\n', ' '), error);
  return data;
};

/** Parses the text of a script. @throws {TroupeError} `input.invalid` */
export const parseScriptText = (text: string): Script => {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (thrown) {
    throw noScript(`it is no JSON: ${messageOf(thrown)}`, thrown);
  }
  return parseScript(given);
};

const noScript = (why: string, cause: unknown): TroupeError =>
  new TroupeError(
    'input.invalid',
    `Cannot replay the script as ${why}. Give \`script\` of a failure, or what --write wrote`,
    { cause },
  );
