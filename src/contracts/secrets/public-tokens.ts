/**
 * A kind of key of a known form, as its provider or the public scanners (gitleaks, secretlint, trufflehog) describe it.
 */
export interface PublicToken {
  /** Its possible prefixes, of three characters or more. */
  readonly begins: readonly string[];
  /** The rest of the key, as a pattern without numbered groups; `''` if the prefix is everything. */
  readonly rest: string;
}

const kind = (begins: string, rest: string): PublicToken => ({ begins: begins.split(' '), rest });

const each = (characters: string, piece: (character: string) => string): readonly string[] =>
  characters.split('').map(piece);

/** Requires a digit nearby, so that it is not a word of letters alone. */
const DIGIT = '(?=[\\w-]{0,80}\\d)';

/**
 * Keys with known prefixes.
 *
 * Each pattern takes time proportional to the text: an unbounded repetition comes last, all others are bounded.
 */
export const publicTokens: readonly PublicToken[] = [
  // Models
  kind('sk-', `${DIGIT}[\\w-]{16,}`),
  kind(
    'gsk_ hf_ api_org_ r8_ fw_ jina_ lsv2_pt_ lsv2_sk_ pcsk_ e2b_ tgp_v1_ bsk_ xai- pplx- tvly- nvapi- pk-lf- sk-lf- csk- voyage- pa- dsk- ' +
      'pul- sbp_ sb_secret_ sb_publishable_ vcp_ vci_ vca_ vcr_ vck_ NRAK- NRII- NRJS- NRSP- NRRA- ghp_ gho_ ghu_ ghs_ ghr_',
    `${DIGIT}[\\w-]{19,}`,
  ),
  kind('hf_ api_org_', '[A-Za-z]{30,}'),
  // Clouds
  kind('AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA A3T DO00', '[A-Z0-9]{16,17}(?![A-Za-z0-9])'),
  kind('LTAI AKID', `${DIGIT}[A-Za-z0-9]{16,32}(?![A-Za-z0-9])`),
  kind('dapi dkea dose key- pubkey-', '[a-fA-F0-9]{32}(?:-\\d)?(?![A-Za-z0-9])'),
  kind('4b1d', '[A-Za-z0-9]{38}(?![A-Za-z0-9])'),
  kind('t1.', '[\\w-]{4,900}={0,2}\\.[\\w-]{86}={0,2}'),
  kind('A3-', '[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9-]{5,}'),
  kind('AKC cmVmd', `${DIGIT}[A-Za-z0-9]{59,}`),
  kind('pat. sat.', '[\\w-]{22}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{20}'),
  // Their beginnings are no words: what follows is long, of several parts at times
  kind(
    'AIza ABSK ya29. GOCSPX- 1//0 dop_v1_ doo_v1_ dor_v1_ v1.0- HRKU- fo1_ fm1r_ fm1a_ fm2_ hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. dt0c01. dt0s01. ' +
      'dt0s16. tk-us- sha256~ pscale_tkn_ pscale_oauth_ pscale_pw_ ops_ey AGE-SECRET-KEY-1 glc_ glsa_ eyJrIjoi github_pat_ GR1348941 pypi-Ag ' +
      'rubygems_ CLOJARS_ clojars_ dckr_pat_ dckr_oat_ ATATT3 ATCTT3 ATBB lin_api_ lin_oauth_ figd_ figo_ figu_ figdr_ PMAK- sntrys_ sntryu_ ' +
      'CFPAT- rdme_ pnu_ ico- p8e- tfp_ s-s4t2ud- s-s4t2af- fio-u- CCIPAT_ CCIPRJ_ xkeysib- xsmtpsib- whsec_ sq0atp- sq0csp- sq0idp- shpat_ ' +
      'shpca_ shppa_ shpss_ shippo_live_ shippo_test_ duffel_test_ duffel_live_ glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glsoat- glagent- ' +
      'glimt- glffct- gloas- nfp_ sgp_ AQVN tskey- vercel_blob_rw_ dnkey- pk.eyJ sk.eyJ',
    '(?=[\\w.=+/-]{0,80}\\d)[\\w.=+/-]{20,}',
  ),
  // Code, packages, tickets
  kind('npm_ ntn_ secret_', `${DIGIT}[A-Za-z0-9]{36,}`),
  kind('API-', '[A-Z0-9]{26}(?![A-Za-z0-9])'),
  kind('sm_aat_ sm_pat_ sm_sat_', '[A-Za-z0-9]{16,}'),
  // Messages
  kind(
    'xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp- xapp-',
    `${DIGIT}[\\w%-]{10,}`,
  ),
  kind('hooks.slack.com/', '(?:services|workflows|triggers)/[\\w+/-]{20,}'),
  kind('discord.com/api/webhooks/ discordapp.com/api/webhooks/', '\\d{10,20}/[\\w-]{20,}'),
  // The base64 of a number that begins with a digit other than 0, of which the second digit is in the third character.
  kind(
    ['MT', 'Mj', 'Mz', 'ND', 'NT', 'Nj', 'Nz', 'OD', 'OT']
      .flatMap((first) => each('AEIMQUYcgk', (second) => first + second))
      .join(' '),
    '[A-Za-z0-9]{20,24}\\.[\\w-]{6}\\.[\\w-]{27,}',
  ),
  kind('SG.', '[\\w-]{10,128}\\.[\\w-]{10,}'),
  kind('sl.', '[\\w=-]{100,}'),
  kind('EAA', `${DIGIT}[\\w-]{50,}`),
  // Money and shops
  kind('sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_', '[A-Za-z0-9]{10,}'),
  kind('FLWSECK_TEST- FLWPUBK_TEST- FLWSECK- FLWPUBK-', '[A-Za-z0-9]{12,}(?:-X)?'),
  kind('EZAK EZTK', '[A-Za-z0-9]{54}(?![A-Za-z0-9])'),
  kind('access-sandbox- access-development- access-production- sdk- mob-', '[0-9a-f-]{36}(?![\\w-])'),
  kind('live_ test_ live_pub_ test_pub_', '(?:[a-f0-9]{31}|[a-f0-9]{35})(?![\\w-])'),
  kind('live_', `${DIGIT}[\\w=-]{40}(?![\\w-])`),
  // Hashes of passwords
  kind('$1$ $5$ $6$ $y$ $2a$ $2b$ $2y$ $apr1$ $argon2', '[\\w$./=,+-]{28,}'),
];

/** A key without a known prefix: literals of three characters or more, one of which it contains, and its pattern. */
export interface TokenWithin {
  readonly has: readonly string[];
  readonly all: string;
}

/** The keys that are known by a piece somewhere in them. */
export const tokensWithin: readonly TokenWithin[] = [
  { has: ['eyJ'], all: '(?<![\\w-])eyJ[\\w-]{10,2000}\\.[\\w-]{4,}(?:\\.[\\w-]*){0,3}' },
  { has: ['ZXlK'], all: '(?<![\\w+/=-])ZXlK[\\w+/-]{60,}={0,2}' },
  {
    has: each('0123456789', (digit) => `${digit}Q~`),
    all: '(?<![\\w~.-])[\\w~.]{3}\\dQ~[\\w~.-]{31,34}(?![\\w~-])',
  },
  { has: [':AA'], all: '(?<!\\w)\\d{8,10}:AA[\\w-]{32,35}(?![\\w-])' },
  { has: ['_mmk'], all: '(?<![A-Za-z0-9])[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk' },
  { has: ['-us'], all: '(?<![A-Za-z0-9])[0-9a-f]{32}-us\\d{1,2}(?!\\w)' },
  { has: ['.atlasv1.'], all: '(?<![A-Za-z0-9])[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,}' },
  {
    has: ['.acc'],
    all: '(?<!\\w)(?:sc|ext|scauth|authress)_[A-Za-z0-9]{5,30}\\.[A-Za-z0-9]{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[\\w+/=-]{30,}',
  },
  {
    has: ['webhook.office'],
    all: '(?<![a-z0-9])[a-z0-9]{1,63}\\.webhook\\.office\\.com/webhookb2/[\\w@/-]{40,}',
  },
  {
    has: each('0123456789abcdef', (digit) => `SK${digit}`),
    all: '(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])',
  },
];
