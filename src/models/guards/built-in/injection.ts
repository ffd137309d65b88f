/** Characters that nobody sees: of no width, of direction, and tags, in which whole sentences are hidden. */
const UNSEEN = /[\u00AD\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;
const TAGS = /[\u{E0020}-\u{E007E}]{3}/u;

/** A text in small letters without marks and width, with single spaces. */
const plainly = (text: string): string =>
  text
    .replaceAll(UNSEEN, '')
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll('’', "'");

/** Beginnings of words for disregarding, and of words for instructions, as languages have them; in some the verb comes last. */
const DISREGARD: readonly (readonly [verbs: string, nouns: string, isLast?: boolean])[] = [
  ['ignoriere|ignorieren sie|vergiss|vergessen sie|missachte', 'anweisung|regel|vorgabe|befehl'],
  ['ignore|ignorez|oublie|oubliez', 'instructions|consigne|règle|directives'],
  ['ignora|ignore|olvida|olvide|omite|descarta', 'instrucciones|reglas|órdenes|indicaciones'],
  ['ignora|ignori|ignorate|dimentica|trascura', 'istruzioni|regole|indicazioni|comandi'],
  ['ignore|ignora|esqueça|esquece|desconsidere', 'instruções|regras|ordens|orientações'],
  ['negeer|vergeet', 'instructies|regels|opdrachten|aanwijzingen'],
  ['ignorera|glöm|bortse', 'instruktion|regler|anvisning'],
  ['ignoruj|zignoruj|pomiń|zapomnij', 'instrukcj|polecen|zasad'],
  ['игнорируй|проигнорируй|забудь', 'инструкци|указани|правил|команд'],
  ['ігноруй|проігноруй|забудь', 'інструкці|вказівк|правил'],
  ['忽略|无视|無視|忘记|忘記|不要理会', '指令|指示|说明|說明|提示|规则|規則|命令'],
  ['無視|忘れ|従わな', '指示|命令|ルール|規則|プロンプト', true],
  ['무시|잊', '지시|명령|규칙|지침', true],
  ['تجاهل|انس|تجاوز', 'تعليمات|أوامر|قواعد'],
  ['अनदेखा|नज़रअंदाज|भूल जा', 'निर्देश|नियम|आदेश', true],
  ['yok say|unut|görmezden gel|dikkate alma', 'talimat|kural|komut', true],
];

const inLanguages: readonly RegExp[] = DISREGARD.map(([verbs, nouns, isLast = false]) => {
  const [first, second] = [isLast ? nouns : verbs, isLast ? verbs : nouns].map(plainly);
  return new RegExp(`(?<![a-z])(?:${first})[^.。\\n]{0,40}(?:${second})`);
});

/** The classes of OWASP LLM01 and of published collections of attacks, as {@link plainly} shows a text. */
const classes: readonly (readonly [name: string, patterns: readonly RegExp[]])[] = [
  [
    'instructions to disregard others',
    [
      /\b(?:ignore|disregard|forget|override|bypass|skip)\b[^.\n]{0,30}\b(?:previous|prior|above|earlier|preceding|former|all|any|my|your|the system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|guidelines?|directions?|commands?|guardrails?|context)\b/,
      /\b(?:ignore|disregard|forget)\b[^.\n]{0,15}\b(?:everything|anything|all|what(?:ever)?)\b[^.\n]{0,20}\b(?:you (?:were|have been|had been|are) (?:told|given|taught|instructed)|was said|(?:came|said|written|told) (?:before|above|earlier|so far))\b/,
      /\bignore\b[^.\n]{0,30}\band (?:instead|follow|obey|adhere|strictly)\b/,
      /\b(?:do not|don't|never|stop) (?:follow|following|obey|obeying|comply with|listen to)\b[^.\n]{0,20}\b(?:instructions?|rules?|guidelines?|prompt|user)\b[^.\n]{0,20}\b(?:above|before|earlier|instead)\b/,
      /\b(?:previous|prior|above|earlier) (?:instructions?|rules?|prompts?)\b[^.\n]{0,15}\b(?:ignore|disregard|forget|void|cancell?ed|no longer apply)\b/,
      ...inLanguages,
      /\b(?:new|updated|real|actual) (?:system )?instructions?\b[^.\n]{0,20}:/,
    ],
  ],
  [
    'the form of a conversation',
    [
      /<\|(?:im_start|im_end|system|user|assistant|endoftext|start_header_id|eot_id)\|>/,
      /\[\/?inst\]|<<\/?sys>>/,
      /^\W{0,4}(?:system|developer) (?:prompt|message|note|override)\W{0,3}:\s{0,2}\S/m,
      /^\W{0,4}(?:system|developer|override)\W{0,3}:\s{0,2}[^\n]{0,40}\b(?:you|your|ignore|must|never|always|obey|override|reveal|the user|assistant)\b/m,
      /^\W{0,4}(?:assistant|ai)\W{0,3}:\s{0,2}[^.\n]{0,20}\bi(?:'ll| will| shall) (?:now )?(?:call|send|run|use|transfer|delete|execute|forward|upload)\b/m,
      /["']role["'] ?: ?["'](?:system|developer)["'] ?, ?["']content["']/,
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
    'a claim to speak for the user',
    [
      /\bimportant message from me\b[^.\n]{0,60}\bto you\b/,
      /\bbefore you (?:can |may )?(?:solve|do|complete|finish|start|continue|proceed)\b[^.\n]{0,60}\b(?:do the following|you (?:must|need to|have to)|first)\b/,
      /\bafter (?:you do|doing|you have done) (?:that|this|so),? you (?:can|may|should) (?:solve|continue|do|complete|proceed)\b/,
      /\bthe (?:user|owner|customer|boss) (?:also |now |really )?(?:wants|asks|needs|expects|has asked|asked|told) you to\b/,
      /\b(?:send|transfer|pay|wire)\b[^.\n]{0,60}\bbefore (?:continuing|proceeding|answering|you continue)\b/,
    ],
  ],
  [
    'a picture that carries data away',
    [/!\[[^\]\n]{0,80}\]\(https?:\/\/[^)\s]{1,200}[?&][^)\s=]{1,40}=[^)\s]{0,20}(?:\{|\$|%7b|<)/],
  ],
];

/** Digits and signs that are written in place of letters. */
const LEET: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
};

/** Text in base64, of three words or so. */
const ENCODED = /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{24,4000}={0,2}/g;

const decodeWithin = (text: string): string =>
  Array.from(text.matchAll(ENCODED), ([found]) => {
    try {
      const shown = atob(found);
      return /^[\s -~]+$/.test(shown) && shown.includes(' ') ? shown : '';
    } catch {
      return '';
    }
  }).join('\n');

/** The ways in which a text may be meant: as it is, its lines joined, letters in place of digits, spaced letters as words, and what it has in base64. */
const readings = (text: string): readonly string[] => {
  const seen = plainly(text);
  // A line may be broken in the midst of a phrase.
  const flowing = seen.replaceAll(/ ?\n ?/g, ' ');
  const written = flowing.replaceAll(
    /(?<=[a-z])[013457@$]|[013457@$](?=[a-z])/g,
    (sign) => LEET[sign] ?? sign,
  );
  const joined = flowing.replaceAll(/(?<![a-z])(?:[a-z][ ._-]){3,60}[a-z](?![a-z])/g, (letters) =>
    letters.replaceAll(/[ ._-]/g, ''),
  );
  return [...new Set([seen, flowing, written, joined, plainly(decodeWithin(text))])];
};

/** The classes of attack on a model that a text has phrases or structures of. Takes time in proportion to the text. */
export const injectionsIn = (text: string): readonly string[] => {
  const all = readings(text);
  const found = classes.flatMap(([name, patterns]) =>
    patterns.some((pattern) => all.some((reading) => pattern.test(reading))) ? [name] : [],
  );
  return TAGS.test(text) ? [...found, 'hidden characters'] : found;
};
