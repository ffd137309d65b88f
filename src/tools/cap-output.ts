import type { Artifact, ToolCall } from '../contracts/tool.ts';

/** A tool's text is cut after so many UTF-8 bytes (64 KiB), its marker included. */
export const MAX_OUTPUT_BYTES = 65_536;

/** No UTF-16 unit takes more bytes than this: shorter texts need not be counted. */
const MOST_BYTES_PER_UNIT = 3;

/** A text within the limit, and the whole of it where it was cut. */
export interface CappedOutput {
  readonly text: string;
  readonly artifacts: readonly Artifact[];
}

/**
 * Cuts a text that is too long for a model's eyes: its head and a marker stay, the whole of it becomes an artifact.
 *
 * @example
 * capOutput('x'.repeat(70_000), { id: 'call_0_0', name: 'read' }).artifacts[0]?.name // => 'read-call_0_0.txt'
 */
export const capOutput = (
  text: string,
  call: Pick<ToolCall, 'id' | 'name'>,
  maxBytes = MAX_OUTPUT_BYTES,
): CappedOutput => {
  if (text.length * MOST_BYTES_PER_UNIT <= maxBytes) return { text, artifacts: none };
  const name = outputArtifact(call);
  const head = spillText(text, name, maxBytes);
  return head === text
    ? { text, artifacts: none }
    : { text: head, artifacts: [{ name, mediaType: 'text/plain', content: text }] };
};

/** The name of the artifact that holds what a call said at too great a length. */
export const outputArtifact = ({ id, name }: Pick<ToolCall, 'id' | 'name'>): string => `${name}-${id}.txt`;

/**
 * The head of a text that is too long, with a marker that names the artifact in which the whole of it is; else the text.
 *
 * @example
 * spillText('x'.repeat(70_000), 'answer-3.txt').endsWith("are in the artifact 'answer-3.txt']") // => true
 */
export const spillText = (text: string, artifact: string, maxBytes = MAX_OUTPUT_BYTES): string => {
  if (fitting(text, maxBytes) === text.length) return text;
  const mark = `\n[cut here: all ${text.length} characters are in the artifact '${artifact}']`;
  return text.slice(0, fitting(text, Math.max(0, maxBytes - new TextEncoder().encode(mark).length))) + mark;
};

const none: readonly Artifact[] = [];

/** The number of UTF-16 units of the text that fit into so many bytes; never half a character. */
const fitting = (text: string, bytes: number): number =>
  new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;
