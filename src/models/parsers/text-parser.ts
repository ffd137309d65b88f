import type { Json } from '../../base/json/json.ts';
import type { OutputSpec } from '../../contracts/models/model.ts';
import type { ToolSpec } from '../../contracts/tools/tool-call.ts';

/** A call parsed from a text; `problem` says why it is invalid. */
export interface TextCall {
  readonly name: string;
  readonly input: Json;
  readonly problem?: string | undefined;
}

/** The parsed reply of a model. A final answer takes precedence over calls. */
export type TextReading =
  | { readonly kind: 'calls'; readonly calls: readonly TextCall[]; readonly thought?: string | undefined }
  | { readonly kind: 'answer'; readonly answer: string; readonly thought?: string | undefined }
  /** Neither; the problem is reported to the model. */
  | { readonly kind: 'problem'; readonly problem: string };

/** Options of reading a reply. */
export interface ReadingOptions {
  /** Known tools: their parameters help to interpret loose inputs. */
  readonly tools?: readonly ToolSpec[] | undefined;
  /** The text ended at its length limit. */
  readonly isCut?: boolean | undefined;
}

/** The content of a lesson. */
export interface LessonOptions {
  readonly tools: readonly ToolSpec[];
  readonly output?: OutputSpec | undefined;
}

/** A way to write calls and answers as plain text, for models that have no calls of their own. */
export interface TextParser {
  readonly name: string;
  /** The part of the system prompt that teaches the format; the same for the same tools, byte by byte. */
  teach(options: LessonOptions): string;
  /** Parses a reply. Never throws. */
  read(text: string, options?: ReadingOptions): TextReading;
  /** Calls as the model should have written them. */
  write(calls: readonly TextCall[]): string;
  /** Introduces a result. */
  result(tool: string, text: string, failed: boolean): string;
}
