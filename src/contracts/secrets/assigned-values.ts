import type { Place } from './phrase-finder.ts';

/** Words that name a secret; a value assigned to them may be one. */
export const NAMES =
  'pass(?:wor|w)?d|passphrase|pwd|secret|token|credentials?|jwt|(?:api|app|access|account|admin|auth|client|deploy|encryption|license|master|private|project|service|shared|signing|storage|user)[_.-]?(?:access[_.-]?)?key|_auth|x-auth|dsn|aws_?account_?id|cookie_?secret|session_?key|sig(?:nature)?(?==)';

/** Prefixes with which such a word names something else. */
const NOT_BEFORE =
  '(?<!(?:public|pub|csrf|xsrf|page|next|continuation|max|min|num|total|count|stop|pad|eos|bos)[_.-]?s?)';

/** All between a name and the opening quote of its value: quotes, a type, the separator, a prefix (`b"…"`). */
export const ASSIGNING =
  '\\\\{0,3}["\'`]?\\]?[ \\t]{0,3}(?:(?::[ \\t]?|(?<=[ \\t]))[A-Za-z]{2,12}[ \\t]{1,2}(?==)|:[ \\t]?[A-Za-z]{2,12}[ \\t]{0,2}(?==))?(?:=>|:=|={1,3}|:|\\|\\|)[ \\t\\r\\n]{0,5}(?:[A-Za-z]{1,2}(?=["\'`]))?';

/** A name, the separator, and the opening quote of the value. */
const ASSIGNMENT = new RegExp(
  `(?=${NAMES})${NOT_BEFORE}(?<name>${NAMES})(?<rest>[\\w.-]{0,40})${ASSIGNING}(?<quote>\\\\{0,3}["'\`])?`,
  'gi',
);

/** Suffixes of names that are not secret: `token_type`, `secretName`, `tokenizer`. */
const NO_SECRET =
  /^(?:s?[_.-]?(?:types?|names?|count|urls?|uri|path|file|dir|folder|len|length|size|limit|usage|used|hash|algorithm|policy|field|label|hint|placeholder|input|version|format|provider|source|store|manager|ring|prefix|suffix|endpoint|expir\w*|ttl|issuer|scopes?|status|error|required|enabled|ref|reference|arn|index|position|(?:log)?probs?|per\w*|arian)(?![a-z])|izer?|ary|arial|ution|i[sz](?:ation|ed)|ed\b)/i;

/** Words that describe a password and are not one themselves; those of up to four letters are too short for one. */
const WORDS =
  /^(?:(?:password|secret|token|bearer|basic|digest|string|number|boolean|object|array|undefined|false|required|optional|default|hidden|disabled|enabled|unknown|invalid|missing|expired|change_?me|example|sample|dummy|redacted|removed|masked|value|input|my[-_]?\w*|your[-_]?.*|should|const|await|return|function|async|process\..*|os\.environ.*|env[.[].*|config[.[].*|options[.[].*|settings[.[].*|secrets[.[].*|vars[.[].*|import\b.*|require\b.*)|[x*.•-]+|(.)\1+)$/i;

/** Placeholders: `${TOKEN}`, `<your key>`, `{{ token }}`, `%s`, `[redacted …]`, `$TOKEN`. */
const TEMPLATE = /^(?:\$|<|\{|%[({]|%[sd]$|\[|@\w+@|…|\.\.\.|\(|&lt;|ref:|file:|arn:aws:|projects\/)/i;

/** The length to which a value is followed. */
const LONGEST = 1_024;

/** The values that a text assigns to a name of a secret: `password = "hunter2"`, `"api_key": "…"`, `?access_token=…`. */
export const assignedValues = (text: string): readonly Place[] => {
  const found: Place[] = [];
  ASSIGNMENT.lastIndex = 0;
  for (let match = ASSIGNMENT.exec(text); match !== null; match = ASSIGNMENT.exec(text)) {
    const { name = '', rest = '', quote } = match.groups ?? {};
    const start = match.index + match[0].length;
    const end = quote === undefined ? endOfWord(text, start) : endOfQuoted(text, start, quote);
    if (end === start) continue;
    const value = text.slice(start, end);
    const isCall = quote === undefined && (text[end] === '(' || text[end] === '[' || text[end] === '{');
    if (isMark(text, match.index)) continue;
    if (isCall || NO_SECRET.test(rest) || !isSecretValue(name + rest, value, quote !== undefined)) continue;
    found.push({ start, end });
    ASSIGNMENT.lastIndex = end;
  }
  return found;
};

const NAMING = new RegExp(NAMES, 'i');

/** Checks whether a field of that name may hold a secret. */
export const namesSecret = (name: string): boolean => NAMING.test(name);

/** Checks whether a position is within the mark of a redacted secret: `[redacted API_KEY]`. */
const isMark = (text: string, start: number): boolean =>
  /\[redacted [^\]]*$/.test(text.slice(Math.max(0, start - 80), start));

const WORD_END = /[\s"'`,;&<>(){}[\]\\|]/;

const endOfWord = (text: string, start: number): number => {
  const ahead = text.slice(start, start + LONGEST);
  const length = ahead.search(WORD_END);
  return start + (length === -1 ? ahead.length : length);
};

/** Returns the position of the closing quote; if the line has none, the end of the word. */
const endOfQuoted = (text: string, start: number, quote: string): number => {
  const ahead = text.slice(start, start + LONGEST);
  const length = ahead.indexOf(quote);
  // A quote of another kind closes an outer string: the closing one belongs to something else.
  const isClosed = length !== -1 && !/[\n"]/.test(ahead.slice(0, length));
  return isClosed ? start + length : endOfWord(text, start);
};

const isSecretValue = (name: string, value: string, isQuoted: boolean): boolean => {
  if (TEMPLATE.test(value) || WORDS.test(value)) return false;
  if (/account_?id/i.test(name)) return /^\d{4}-?\d{4}-?\d{4}$/.test(value);
  const isPassword = /^(?:pass|pwd)/i.test(name);
  if (/\s/.test(value)) return isQuoted && /^passphrase/i.test(name);
  if (/^(?:https?:\/\/[^@]*$|\.{0,2}\/[\w.-]+(?:\/|$)|[A-Za-z]:\\)/.test(value)) return false;
  if (/^[-+]?[\d.,_:%-]+$/.test(value)) return isPassword && isQuoted && value.length >= 6;
  const isMixed = /\d/.test(value) && /[A-Za-z]/.test(value);
  if (isPassword)
    return isQuoted ? value.length >= 5 : value.length >= 6 && (isMixed || /[^\w.-]/.test(value));
  if (value.length < 8) return false;
  if (isMixed) return isQuoted || value.length >= 12 || /secret/i.test(name);
  return (
    value.length >= 20 &&
    /[a-z]/.test(value) &&
    /[A-Z]/.test(value) &&
    !/^[a-z]+(?:[A-Z][a-z]+)+$/.test(value)
  );
};
