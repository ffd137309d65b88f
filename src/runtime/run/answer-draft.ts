import type { AgentDefinition, OutputCheck } from '../../actors/agent-definition.ts';
import { isTextOutput } from '../../actors/fit-output.ts';
import { isJsonObject, type Json } from '../../base/json/json.ts';
import { jsonInPieces } from '../../base/json/partial-json.ts';
import type { ModelDelta } from '../../contracts/models/model.ts';
import type { DeltaEvent } from '../../contracts/events/event.ts';

/** A delta of the call with that key; without an offset it follows what came before. */
export type KeyedDelta = Pick<DeltaEvent, 'key' | 'offset' | 'delta'>;

/** A text that arrives piece by piece. */
interface Reading {
  /** Reads a piece; true if the value has changed. */
  append(piece: string): boolean;
  readonly value: Json | undefined;
  readonly isWhole: boolean;
}

/** The control tool whose arguments are the answer. */
const COMPLETE = 'complete';

/** The answer that a model is writing: its text, or the arguments of `complete`. */
export class AnswerDraft {
  readonly #agent: AgentDefinition;
  #key: string | undefined;
  /** Index of the call that gives the answer; undefined while it is the text. */
  #call: number | undefined;
  /** Undefined once a piece was missed: what follows cannot be read. */
  #reading: Reading | undefined;
  #length = 0;

  constructor(agent: AgentDefinition) {
    this.#agent = agent;
  }

  get value(): Json | undefined {
    const value = this.#reading?.value;
    if (this.#call === undefined) return value;
    return isJsonObject(value) ? value['answer'] : undefined;
  }

  /** True once the value is closed, though the answer may go on. */
  get isWhole(): boolean {
    return this.#reading?.isWhole === true;
  }

  /** Takes a delta; true if the value may have changed. */
  take({ key, offset, delta }: KeyedDelta): boolean {
    if (key !== this.#key) {
      this.#key = key;
      this.#call = undefined;
      this.#read(readingFor(this.#agent.output));
    }
    const piece = this.#pieceOf(delta);
    if (piece === undefined) return false;
    if (offset !== undefined && offset !== this.#length) this.#reading = undefined;
    this.#length += piece.length;
    return this.#reading?.append(piece) ?? false;
  }

  #pieceOf(delta: ModelDelta): string | undefined {
    if (delta.type === 'text') return this.#call === undefined ? delta.text : undefined;
    if (delta.type !== 'tool-call') return undefined;
    if (delta.name === COMPLETE && this.#call === undefined) {
      this.#call = delta.index;
      this.#read(jsonInPieces());
    }
    return delta.index === this.#call ? delta.text : undefined;
  }

  #read(reading: Reading): void {
    this.#reading = reading;
    this.#length = 0;
  }
}

const readingFor = (output: OutputCheck | undefined): Reading => {
  if (output === undefined) return new PlainText();
  return isTextOutput(output) ? new TextOrJson() : jsonInPieces();
};

class PlainText implements Reading {
  value = '';
  readonly isWhole = false;

  append(piece: string): boolean {
    this.value += piece;
    return piece !== '';
  }
}

/** A string as such, or as JSON, perhaps in a fence: its first character tells. */
class TextOrJson implements Reading {
  readonly isWhole = false;
  #begin = '';
  #reading: Reading | undefined;

  get value(): Json | undefined {
    return this.#reading?.value;
  }

  append(piece: string): boolean {
    if (this.#reading !== undefined) return this.#reading.append(piece);
    this.#begin += piece;
    const [first] = this.#begin.trimStart();
    if (first === undefined) return false;
    this.#reading = first === '"' || first === '`' ? jsonInPieces() : new PlainText();
    return this.#reading.append(this.#begin);
  }
}
