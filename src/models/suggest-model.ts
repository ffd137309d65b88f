/** Providers, by how the names of their models start. */
const FAMILIES: readonly (readonly [provider: string, names: RegExp])[] = [
  ['openai', /^(?:gpt-|chatgpt-|o\d)/],
  ['anthropic', /^claude/],
  ['gemini', /^(?:gemini|gemma)/],
  ['mistral', /^(?:mistral|ministral|magistral|codestral|devstral|pixtral|open-mi)/],
  ['deepseek', /^deepseek-/],
  ['xai', /^grok/],
  ['ollama', /^(?:llama|qwen|phi)/],
];

/**
 * Suggests the full name of a model that was named without its provider; undefined for an unknown family.
 *
 * @example
 * suggestModel('gpt-5') // => 'openai:gpt-5'
 */
export const suggestModel = (name: string): string | undefined => {
  const plain = name.trim().toLowerCase();
  const provider = FAMILIES.find(([, names]) => names.test(plain))?.[0];
  return provider === undefined ? undefined : `${provider}:${name.trim()}`;
};
