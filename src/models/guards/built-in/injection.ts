/** Characters that nobody sees: of no width, of direction, and tags, in which whole sentences are hidden. */
const UNSEEN = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;
const TAGS = /[\u{E0020}-\u{E007E}]{3}/u;

/** The classes of OWASP LLM01 and of published collections of attacks, as a text in lower case with single spaces shows them. */
const classes: readonly (readonly [name: string, patterns: readonly RegExp[]])[] = [
  [
    'instructions to disregard others',
    [
      /\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|preceding|former|all|any|your|the system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|commands?|guardrails?|context)\b/,
      /\b(?:ignoriere|vergiss|missachte)\b[^.\n]{0,40}\b(?:anweisung(?:en)?|regeln|vorgaben)\b/,
      /\b(?:ignorez?|oubliez?)\b[^.\n]{0,40}\b(?:instructions?|consignes?|règles)\b/,
      /\b(?:ignora|olvida)\b[^.\n]{0,40}\b(?:instrucciones|reglas)\b/,
      /\b(?:new|updated|real|actual) (?:system )?instructions?\b[^.\n]{0,20}:/,
    ],
  ],
  [
    'the form of a conversation',
    [
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>/,
      /\[\/?inst\]|<<\/?sys>>/,
      /^\W{0,4}(?:system|developer)(?: prompt| message)?\W{0,3}:\s{0,2}\S/m,
      /<\/?(?:system|instructions?|admin|important)>/,
      /#{2,4} ?(?:system|instructions?|new task)\b/,
    ],
  ],
  [
    'another role',
    [
      /\byou are (?:now|no longer)\b[^.\n]{0,60}\b(?:ai|assistant|dan|mode|model|jailbr\w{0,8}|bound|restricted|unrestricted|developer|admin)\b/,
      /\b(?:developer|god|dan|jailbreak|debug|admin|sudo) mode\b[^.\n]{0,20}\b(?:enabled|on|activated|engaged)\b/,
      /\b(?:enable|enter|activate|switch to) (?:developer|god|dan|jailbreak|debug|admin|sudo) mode\b/,
      /\b(?:pretend|act|behave)\b[^.\n]{0,20}\b(?:no|without) (?:any )?(?:restrictions?|rules?|filters?|limits?|guidelines?)\b/,
    ],
  ],
  [
    'a request for instructions or secrets',
    [
      /\b(?:reveal|print|repeat|show|output|display|leak|send|tell me)\b[^.\n]{0,30}\b(?:your|the) (?:system prompt|(?:hidden |initial |original |secret |system )?instructions|api keys?|passwords?|credentials|environment variables)\b/,
    ],
  ],
  [
    'a request for secrecy',
    [
      /\b(?:do not|don't|never|without)\b[^.\n]{0,15}\b(?:tell|telling|mention|mentioning|inform|informing|notify|notifying|alert|alerting|reveal|revealing)\b[^.\n]{0,20}\b(?:the )?(?:user|human|person|operator|anyone|anybody)\b/,
    ],
  ],
  [
    'an order to the reader',
    [
      /\b(?:ai|llm|assistant|chatbot|language model|agent)s?\b(?: \w{1,12}){0,3}[,:] (?:please |you must |you should |now |immediately ){0,2}(?:ignore|send|forward|call|execute|run|delete|transfer|upload|email|e-mail|post|use|visit|open)\b/,
      /\b(?:before|after) (?:you )?(?:use|using|answer|answering|respond|responding|call|calling|continue|continuing)\b[^.\n]{0,40}\b(?:you must|must first|first) ?[^.\n]{0,20}\b(?:read|send|call|run|execute|upload|include|pass)\b/,
      /\b(?:send|forward|upload|post|exfiltrate|transmit)\b[^.\n]{0,60}\b(?:conversation|chat history|password|passwords|api keys?|credentials|secrets?|tokens?|private keys?|\.env|id_rsa)\b[^\n]{0,40}\b(?:to|at)\b/,
    ],
  ],
  [
    'a picture that carries data away',
    [/!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{1,200}[?&][^)\s=]{1,40}=[^)\s]{0,20}(?:\{|\$|%7b|<)/],
  ],
];

/** The classes of attack on a model that a text has phrases or structures of. */
export const injectionsIn = (text: string): readonly string[] => {
  const seen = text
    .replaceAll(UNSEEN, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll('’', "'");
  // A line may be broken in the midst of a phrase.
  const flowing = seen.replaceAll(/ ?\n ?/g, ' ');
  const found = classes.flatMap(([name, patterns]) =>
    patterns.some((pattern) => pattern.test(seen) || pattern.test(flowing)) ? [name] : [],
  );
  return TAGS.test(text) ? [...found, 'hidden characters'] : found;
};
