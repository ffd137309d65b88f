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
  kind('gsk_ hf_ api_org_ r8_ fw_ jina_ lsv2_pt_ lsv2_sk_ pcsk_ e2b_ tgp_v1_ bsk_', `${DIGIT}[\\w-]{20,}`),
  kind('hf_ api_org_', '[A-Za-z]{30,}'),
  kind('xai- pplx- tvly- nvapi- pk-lf- sk-lf- csk- voyage- pa- dsk-', `${DIGIT}[\\w-]{20,}`),
  kind('AIza', '[\\w-]{30,}'),
  // Clouds
  kind('AKIA ASIA ABIA ACCA AGPA AIDA AROA AIPA ANPA ANVA', '[A-Z0-9]{16}(?![A-Za-z0-9])'),
  kind('A3T', '[A-Z0-9]{17}(?![A-Za-z0-9])'),
  kind('ABSK', '[\\w+/-]{60,}={0,3}'),
  kind('ya29. GOCSPX- 1//0', '[\\w.-]{20,}'),
  kind('LTAI', `${DIGIT}[A-Za-z0-9]{16,24}(?![A-Za-z0-9])`),
  kind('AKID', `${DIGIT}[A-Za-z0-9]{32}(?![A-Za-z0-9])`),
  kind('dop_v1_ doo_v1_ dor_v1_', '[a-fA-F0-9]{40,}'),
  kind('dapi dkea dose', '[a-fA-F0-9]{32}(?:-\\d)?(?![A-Za-z0-9])'),
  kind('v1.0-', '[a-f0-9]{24}-[a-f0-9]{100,}'),
  kind('HRKU-', '[\\w-]{36,}'),
  kind('fo1_ fm1r_ fm1a_ fm2_', '[\\w+/-]{40,}={0,3}'),
  kind('pul- sbp_ sb_secret_ sb_publishable_', `${DIGIT}[\\w-]{20,}`),
  kind('vcp_ vci_ vca_ vcr_ vck_', `${DIGIT}[A-Za-z0-9]{20,}`),
  kind('hvs. hvb. hvr.', '[\\w-]{20,}'),
  kind('dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.', '[\\w.-]{40,}'),
  kind('dt0c01. dt0s01. dt0s16.', '[A-Za-z0-9]{24}\\.[A-Za-z0-9]{60,}'),
  kind('tk-us-', `${DIGIT}[\\w-]{40,}`),
  kind('sha256~', '[\\w-]{40,}'),
  kind('pscale_tkn_ pscale_oauth_ pscale_pw_', '[\\w=.-]{32,}'),
  kind('ops_ey', '[\\w+/-]{80,}={0,3}'),
  kind('A3-', '[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9-]{5,}'),
  kind('AGE-SECRET-KEY-1', '[A-Z0-9]{50,}'),
  kind('AKCp cmVmd', `${DIGIT}[A-Za-z0-9]{59,}`),
  kind('glc_ glsa_', '[\\w+/]{32,}={0,2}'),
  kind('eyJrIjoi', '[\\w+/-]{30,}={0,3}'),
  // Code, packages, tickets
  kind('ghp_ gho_ ghu_ ghs_ ghr_', `${DIGIT}[A-Za-z0-9_]{20,}`),
  kind('github_pat_', '[A-Za-z0-9_]{22,}'),
  kind(
    'glpat- gldt- glrt- glrtr- glptt- glcbt- glft- glsoat- glagent- glimt- glffct- gloas-',
    '[\\w.-]{20,}',
  ),
  kind('GR1348941', '[\\w-]{20,}'),
  kind('npm_', '[A-Za-z0-9_]{30,}'),
  kind('pypi-Ag', '[\\w-]{40,}'),
  kind('rubygems_', '[a-f0-9]{40,}'),
  kind('CLOJARS_ clojars_', '[A-Za-z0-9]{40,}'),
  kind('dckr_pat_ dckr_oat_', '[\\w-]{20,}'),
  kind('ATATT3 ATCTT3', '[\\w=-]{24,}'),
  kind('ATBB', `${DIGIT}[\\w=-]{24,}`),
  kind('lin_api_ lin_oauth_', '[A-Za-z0-9_]{32,}'),
  kind('ntn_ secret_', `${DIGIT}[A-Za-z0-9]{40,}`),
  kind('figd_ figo_ figu_ figdr_', '[\\w-]{40,}'),
  kind('PMAK-', '[a-fA-F0-9]{24}-[a-fA-F0-9]{30,}'),
  kind('sntrys_ sntryu_', '[\\w+/-]{30,}={0,2}'),
  kind('sgp_', '(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}'),
  kind('CFPAT-', '[\\w-]{40,}'),
  kind('rdme_ pnu_ ico- p8e-', `${DIGIT}[A-Za-z0-9]{32,}`),
  kind('API-', '[A-Z0-9]{26}(?![A-Za-z0-9])'),
  kind('tfp_', '[\\w.=-]{50,}'),
  kind('s-s4t2ud- s-s4t2af-', '[a-f0-9]{60,}'),
  kind('sm_aat_ sm_pat_ sm_sat_', '[A-Za-z0-9]{16,}'),
  kind('NRAK- NRII- NRJS- NRSP- NRRA-', `${DIGIT}[A-Za-z0-9-]{19,}`),
  kind('fio-u-', '[\\w=-]{60,}'),
  kind('CCIPAT_ CCIPRJ_', '[\\w-]{30,}'),
  // Messages
  kind(
    'xoxb- xoxp- xoxa- xoxo- xoxr- xoxs- xoxe- xoxc- xoxd- xoxe.xoxb- xoxe.xoxp- xapp-',
    `${DIGIT}[\\w%-]{10,}`,
  ),
  kind('hooks.slack.com/', '(?:services|workflows|triggers)/[\\w+/-]{20,}'),
  kind('discord.com/api/webhooks/ discordapp.com/api/webhooks/', '\\d{10,20}/[\\w-]{20,}'),
  kind('SG.', '[\\w-]{10,128}\\.[\\w-]{10,}'),
  kind('xkeysib- xsmtpsib-', '[a-f0-9]{40,}(?:-[A-Za-z0-9]{10,})?'),
  kind('key- pubkey-', '[a-f0-9]{32}(?![A-Za-z0-9])'),
  kind('EAA', `${DIGIT}[A-Za-z0-9]{80,}`),
  // Money and shops
  kind('sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ pk_live_ pk_test_', '[A-Za-z0-9]{10,}'),
  kind('whsec_', '[\\w+/-]{20,}={0,2}'),
  kind('sq0atp- sq0csp- sq0idp-', '[\\w-]{22,}'),
  kind('EAAA', `${DIGIT}[\\w-]{50,}`),
  kind('shpat_ shpca_ shppa_ shpss_', '[a-zA-Z0-9]{32,}'),
  kind('shippo_live_ shippo_test_', '[a-fA-F0-9]{36,}'),
  kind('FLWSECK_TEST- FLWPUBK_TEST- FLWSECK- FLWPUBK-', '[A-Za-z0-9]{12,}(?:-X)?'),
  kind('EZAK EZTK', '[A-Za-z0-9]{54}(?![A-Za-z0-9])'),
  kind('duffel_test_ duffel_live_', '[\\w=-]{40,}'),
  kind('access-sandbox- access-development- access-production-', '[0-9a-f-]{36}'),
  kind('live_pub_ test_pub_', '[a-f0-9]{31}(?![A-Za-z0-9])'),
];

/** A key without a known prefix: literals of three characters or more, one of which it contains, and its pattern. */
export interface TokenWithin {
  readonly has: readonly string[];
  readonly all: string;
}

const each = (characters: string, piece: (character: string) => string): readonly string[] =>
  characters.split('').map(piece);

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
