import type { Artifact } from '../../contracts/tools/tool-result.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';

/** Maximum size of a tool's text, marker included: 64 KiB of UTF-8. */
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

/** Returns the name of the artifact that holds the full text of a call. */
export const outputArtifact = ({ id, name }: Pick<ToolCall, 'id' | 'name'>): string => `${name}-${id}.txt`;

/**
 * Truncates a text that is too long, with a marker that names the artifact with the whole of it.
 *
 * @example
 * spillText('x'.repeat(70_000), 'answer-3.txt').endsWith("are in the artifact 'answer-3.txt']") // => true
 */
export const spillText = (text: string, artifact: string, maxBytes = MAX_OUTPUT_BYTES): string => {
  if (fittingLength(text, maxBytes) === text.length) return text;
  const mark = `\n[cut here: all ${text.length} characters are in the artifact '${artifact}']`;
  return (
    text.slice(0, fittingLength(text, Math.max(0, maxBytes - new TextEncoder().encode(mark).length))) + mark
  );
};

const none: readonly Artifact[] = [];

/** Returns the length of the longest start of the text within `bytes`, in UTF-16 units; never splits a character. */
const fittingLength = (text: string, bytes: number): number =>
  new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;
