import type { Json } from '../../contracts/json.ts';
import type { OutputSpec } from '../../contracts/model.ts';
import type { ToolSpec } from '../../contracts/tool.ts';

/** A call as it stood in a text; `problem` says why it cannot stand. */
export interface TextCall {
  readonly name: string;
  readonly input: Json;
  readonly problem?: string | undefined;
}

/** What a text of a model comes to. A final answer beats calls beside it. */
export type TextReading =
  | { readonly kind: 'calls'; readonly calls: readonly TextCall[]; readonly thought?: string | undefined }
  | { readonly kind: 'answer'; readonly answer: string; readonly thought?: string | undefined }
  /** It is neither, and the model should be told so. */
  | { readonly kind: 'problem'; readonly problem: string };

/** What a parser is told beside the text. */
export interface ReadingOptions {
  /** Tools that there are: their parameters say how a loose input is meant. */
  readonly tools?: readonly ToolSpec[] | undefined;
  /** The text ended at its length limit. */
  readonly isCut?: boolean | undefined;
}

/** What a parser has to teach. */
export interface LessonOptions {
  readonly tools: readonly ToolSpec[];
  readonly output?: OutputSpec | undefined;
}

/** A way to write calls and answers as plain text, for models that have no calls of their own. */
export interface TextParser {
  readonly name: string;
  /** The part of the system prompt that teaches the format; the same for the same tools, byte by byte. */
  teach(options: LessonOptions): string;
  /** Never throws, whatever the text. */
  read(text: string, options?: ReadingOptions): TextReading;
  /** Calls as the model should have written them. */
  write(calls: readonly TextCall[]): string;
  /** What a result is introduced with. */
  result(tool: string, text: string, failed: boolean): string;
}
