/** Longest front matter that is read, in characters. */
const MAX_FRONT_MATTER = 16_384;

/** The head of a file, its fields by name, and the text below it. */
export interface FrontMatter {
  readonly fields: ReadonlyMap<string, string | readonly string[]>;
  readonly body: string;
}

/** Fails with a reason, as the end of a sentence. */
export type Refuse = (reason: string) => never;

/**
 * Reads those fields of a file's front matter that are named; others, with all below them, are passed over.
 *
 * The part of YAML that such fields are written in: texts, plain (also with a colon), in quotes, over several lines, or as a block (`|`, `>`), and lists
 * of texts. Line breaks in a value are spaces, and every value is text, `3` and `true` as well. Maps, anchors, aliases and tags are refused.
 *
 * @example
 * readFrontMatter('---\nname: pdf\n---\nText', ['name'], refuse).fields.get('name') // => 'pdf'
 */
export const readFrontMatter = (text: string, wanted: readonly string[], refuse: Refuse): FrontMatter => {
  const lines = text.split('\n');
  if (lines[0]?.trimEnd() !== '---') return refuse("it has no front matter: its first line must be '---'");
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  const head = lines.slice(1, end === -1 ? lines.length : end);
  const { length } = head.join('\n');
  if (length > MAX_FRONT_MATTER)
    return refuse(`its front matter is longer than ${MAX_FRONT_MATTER} characters: ${length}`);
  if (end === -1) return refuse("its front matter has no end: close it by a line of '---'");
  const body = lines.slice(end + 1).join('\n');
  return { fields: readFields(head, wanted, refuse), body: body.trim() };
};

const readFields = (
  lines: readonly string[],
  wanted: readonly string[],
  refuse: Refuse,
): FrontMatter['fields'] => {
  const fields = new Map<string, string | readonly string[]>();
  const names = new Set<string>();
  for (let index = 0; index < lines.length;) {
    const first = index;
    const line = lines[first] ?? '';
    index += 1;
    if (isEmpty(line)) continue;
    // The first line of the file is that of the dashes.
    const refuseField: Refuse = (reason) => refuse(`line ${first + 2} of its front matter ${reason}`);
    const [, name, rest = ''] = /^([\w-]+):(?:\s(.*))?$/.exec(line) ?? [];
    if (name === undefined)
      return refuseField(`is not a field, such as 'name: text': ${JSON.stringify(line.slice(0, 60))}`);
    if (names.has(name)) return refuseField(`has the field '${name}' a second time`);
    names.add(name);
    while (index < lines.length && belongsAbove(lines[index] ?? '')) index += 1;
    if (wanted.includes(name)) fields.set(name, readValue(rest, lines.slice(first + 1, index), refuseField));
  }
  return fields;
};

const isEmpty = (line: string): boolean => line.trim() === '' || line.startsWith('#');

/** Indented lines and items of a list belong to the field above. */
const belongsAbove = (line: string): boolean => /^(?:\s|$|-\s)/.test(line);

const readValue = (rest: string, below: readonly string[], refuse: Refuse): string | readonly string[] => {
  if (/^[|>][\d+-]{0,2}(?:\s+#.*)?$/.test(rest.trim())) return joinLines(below);
  const whole = joinLines([rest, ...below]);
  if (/^["']/.test(whole)) return readQuoted(whole, refuse);
  const lines = [rest, ...below].map(withoutComment).filter((line) => line !== '');
  const [first = ''] = lines;
  if (first.startsWith('- ')) return lines.map((line) => readItem(line, refuse));
  if (rest.trim() === '' && /^[\w-]+:(?:\s|$)/.test(first)) return refuse('is a map, where a text is needed');
  const value = joinLines(lines);
  return value.startsWith('[') ? readFlowList(value, refuse) : readPlain(value, refuse);
};

const withoutComment = (line: string): string => line.replace(/(?:^|\s)#.*$/, '').trim();

const joinLines = (lines: readonly string[]): string =>
  lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

/** A text in quotes, which nothing but a comment may follow. */
const readQuoted = (text: string, refuse: Refuse): string => {
  const isSingle = text.startsWith("'");
  const pattern = isSingle ? /^('(?:[^']|'')*')(?:\s+#.*)?$/ : /^("(?:[^"\\]|\\.)*")(?:\s+#.*)?$/;
  const found = pattern.exec(text)?.[1];
  if (found === undefined) return refuse('has a quote that is not closed, or text after it');
  if (isSingle) return found.slice(1, -1).replaceAll("''", "'");
  try {
    return String(JSON.parse(found.replaceAll('\t', '\\t')));
  } catch {
    return refuse(`has an escape that JSON does not have: ${found.slice(0, 60)}`);
  }
};

const readItem = (item: string, refuse: Refuse): string => {
  if (!item.startsWith('- '))
    return refuse(`has something other than '- text' in its list: ${item.slice(0, 60)}`);
  return readScalar(item.slice(2).trim(), refuse);
};

const readFlowList = (text: string, refuse: Refuse): readonly string[] => {
  if (!text.endsWith(']')) return refuse("has a list that is not closed by ']'");
  return text
    .slice(1, -1)
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
    .map((item) => readScalar(item, refuse));
};

const readScalar = (text: string, refuse: Refuse): string =>
  /^["']/.test(text) ? readQuoted(text, refuse) : readPlain(text, refuse);

const readPlain = (text: string, refuse: Refuse): string =>
  /^[{}\]&*!%@`]/.test(text)
    ? refuse(`begins with '${text.slice(0, 1)}', which is not read: put the text in quotes`)
    : text;
