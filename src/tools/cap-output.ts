import type { Artifact, ToolCall } from '../contracts/tool.ts';

/** A tool's text is cut after so many UTF-8 bytes (64 KiB), its marker included. */
export const MAX_OUTPUT_BYTES = 65_536;

/** No UTF-16 unit takes more bytes than this: shorter texts need not be counted. */
const MOST_BYTES_PER_UNIT = 3;

/** A text within the limit, and what did not fit. */
export interface CappedOutput {
  readonly text: string;
  readonly artifacts: readonly Artifact[];
}

/**
 * Cuts a text that is too long for a model's eyes: its head and a marker stay, the rest becomes an artifact.
 *
 * Head and artifact together are the whole text: no character is lost, none cut in two.
 *
 * @example
 * capOutput('x'.repeat(70_000), { id: 'call_0_0', name: 'read' }).artifacts[0]?.name // => 'read-call_0_0-rest.txt'
 */
export const capOutput = (
  text: string,
  call: Pick<ToolCall, 'id' | 'name'>,
  maxBytes = MAX_OUTPUT_BYTES,
): CappedOutput => {
  if (text.length * MOST_BYTES_PER_UNIT <= maxBytes || fitting(text, maxBytes) === text.length)
    return { text, artifacts: none };
  const name = `${call.name}-${call.id}-rest.txt`;
  // The marker is as long as it can get, so that head and marker fit whatever the head's length turns out to be.
  const room = maxBytes - new TextEncoder().encode(marker(text.length, name)).length;
  const kept = fitting(text, Math.max(0, room));
  const rest = text.slice(kept);
  return {
    text: text.slice(0, kept) + marker(rest.length, name),
    artifacts: [{ name, mediaType: 'text/plain', content: rest }],
  };
};

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

const marker = (characters: number, name: string): string =>
  `\n[cut here: the other ${characters} characters are in the artifact '${name}']`;

/** How many UTF-16 units of the text fit into so many bytes; never half a character. */
const fitting = (text: string, bytes: number): number =>
  new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read;
