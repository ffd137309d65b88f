import fc from 'fast-check';

/** A rule of a public scanner, as the shape of what it finds. */
interface ShapeRow {
  readonly scanner: 'gitleaks' | 'secretlint' | 'trufflehog' | 'detect-secrets';
  readonly rule: string;
  readonly shape: RegExp;
  /** Where it stands, `@` for the secret: some kinds are known by what is around them. */
  readonly within?: readonly string[];
}

const ANYWHERE = [
  '@',
  'Incorrect API key provided: @. You can find your API key in the settings.',
  '{"error":{"message":"invalid credential @","code":401}}',
  'const client = connect("@");',
  'curl -H "X-Auth: @" https://api.example.com/v1/things',
  'Error: request failed\n    at call (/srv/app.js:12:3)\n  value was @\n',
] as const;

const NAMED = [
  '$_api_key = "@"',
  '$ApiToken: "@"',
  'var $Secret string = "@"',
  '{"$_token": "@"}',
  '$_SECRET_KEY=@',
  "config['$_api_key'] = '@'",
  '"$_access_token" => "@",',
  '--$-api-key @',
  'https://api.example.com/v1?$_api_key=@&page=2',
] as const;

const gitleaks: readonly (readonly [rule: string, shape: RegExp])[] = [
  ['1password-secret-key', /^A3-[A-Z0-9]{6}-[A-Z0-9]{11}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}$/],
  ['adobe-client-secret', /^p8e-[a-z0-9]{31}7$/],
  ['age-secret-key', /^AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}$/],
  ['alibaba-access-key-id', /^LTAI[a-z0-9]{19}4$/],
  ['anthropic-admin-api-key', /^sk-ant-admin01-[a-zA-Z0-9_-]{93}AA$/],
  ['anthropic-api-key', /^sk-ant-api03-[a-zA-Z0-9_-]{93}AA$/],
  ['artifactory-api-key', /^AKCp[A-Za-z0-9]{68}3$/],
  ['atlassian-api-token', /^ATATT3[A-Za-z0-9_=-]{186}$/],
  [
    'authress-service-client-access-key',
    /^sc_[a-z0-9]{20}\.[a-z0-9]{5}\.acc[_-][a-z0-9-]{20}\.[a-z0-9+/_=-]{60}$/,
  ],
  ['aws-access-token', /^(AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}$/],
  ['azure-ad-client-secret', /^[a-zA-Z0-9_~.]{3}[0-9]Q~[a-zA-Z0-9_~.-]{31,34}$/],
  ['clojars-api-token', /^CLOJARS_[a-z0-9]{60}$/],
  ['databricks-api-token', /^dapi[a-f0-9]{32}$/],
  ['digitalocean-pat', /^do[opr]_v1_[a-f0-9]{64}$/],
  ['doppler-api-token', /^dp\.pt\.[a-z0-9]{43}$/],
  ['duffel-api-token', /^duffel_(test|live)_[a-z0-9_=-]{43}$/],
  ['dynatrace-api-token', /^dt0c01\.[a-z0-9]{24}\.[a-z0-9]{64}$/],
  ['easypost-api-token', /^EZ[AT]K[a-z0-9]{54}$/],
  ['facebook-page-access-token', /^EAA[MC][a-z0-9]{110}$/],
  ['flutterwave-secret-key', /^FLWSECK_TEST-[a-h0-9]{32}-X$/],
  ['flyio-access-token', /^fo1_[\w-]{43}$/],
  ['frameio-api-token', /^fio-u-[a-z0-9_=-]{64}$/],
  ['gcp-api-key', /^AIza[\w-]{35}$/],
  ['github-app-token', /^gh[us]_[0-9a-zA-Z]{36}$/],
  ['github-fine-grained-pat', /^github_pat_\w{82}$/],
  ['github-pat', /^ghp_[0-9a-zA-Z]{36}$/],
  ['gitlab-pat', /^glpat-[\w-]{20}$/],
  ['gitlab-runner', /^gl(rt|ptt|dt|ft|soat|agent|imt|cbt)-[0-9a-zA-Z_-]{20,40}$/],
  ['grafana-service-account-token', /^glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}$/],
  ['grafana-cloud-api-token', /^glc_[A-Za-z0-9+/]{32,100}={0,2}$/],
  ['hashicorp-tf-api-token', /^[a-z0-9]{14}\.atlasv1\.[a-z0-9_=-]{60,70}$/],
  ['heroku-api-key-v2', /^HRKU-AA[0-9a-zA-Z_-]{58}$/],
  ['huggingface-access-token', /^hf_[a-zA-Z]{34}$/],
  ['huggingface-organization-api-token', /^api_org_[a-zA-Z]{34}$/],
  ['infracost-api-token', /^ico-[a-zA-Z0-9]{31}2$/],
  ['intra42-client-secret', /^s-s4t2(ud|af)-[abcdef0123456789]{64}$/],
  ['jwt', /^eyJhbGci[a-zA-Z0-9]{17,40}\.eyJ[a-zA-Z0-9_-]{17,80}\.[a-zA-Z0-9_-]{20,60}$/],
  ['linear-api-key', /^lin_api_[a-z0-9]{40}$/],
  ['maxmind-license-key', /^[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk$/],
  ['notion-api-token', /^ntn_[0-9]{11}[A-Za-z0-9]{35}$/],
  ['npm-access-token', /^npm_[a-z0-9]{36}$/],
  ['octopus-deploy-api-key', /^API-[A-Z0-9]{26}$/],
  ['openai-api-key', /^sk-(proj|svcacct|admin)-[A-Za-z0-9_-]{74}T3BlbkFJ[A-Za-z0-9_-]{74}$/],
  ['openai-api-key-old', /^sk-[a-zA-Z0-9]{20}T3BlbkFJ[a-zA-Z0-9]{20}$/],
  ['openshift-user-token', /^sha256~[\w-]{43}$/],
  ['perplexity-api-key', /^pplx-[a-zA-Z0-9]{48}$/],
  ['planetscale', /^pscale_(tkn|oauth|pw)_[\w=.-]{32,64}$/],
  ['postman-api-token', /^PMAK-[a-f0-9]{24}-[a-f0-9]{34}$/],
  ['prefect-api-token', /^pnu_[a-zA-Z0-9]{35}8$/],
  ['pulumi-api-token', /^pul-[a-f0-9]{39}1$/],
  ['pypi-upload-token', /^pypi-AgEIcHlwaS5vcmc[\w-]{50,100}$/],
  ['readme-api-token', /^rdme_[a-z0-9]{70}$/],
  ['rubygems-api-token', /^rubygems_[a-f0-9]{48}$/],
  ['scalingo-api-token', /^tk-us-[\w-]{47}0$/],
  ['sendgrid-api-token', /^SG\.[\w-]{22}\.[\w-]{43}$/],
  ['sendinblue-api-token', /^xkeysib-[a-f0-9]{64}-[a-z0-9]{16}$/],
  ['sentry-user-token', /^sntryu_[a-f0-9]{64}$/],
  ['settlemint', /^sm_(aat|pat|sat)_[a-zA-Z0-9]{16}$/],
  ['shippo-api-token', /^shippo_(live|test)_[a-fA-F0-9]{40}$/],
  ['shopify', /^shp(at|ca|pa|ss)_[a-fA-F0-9]{32}$/],
  ['slack-bot-token', /^xoxb-[0-9]{10,13}-[0-9]{10,13}-[a-zA-Z0-9]{24}$/],
  ['slack-app-token', /^xapp-1-[A-Z0-9]{11}-[0-9]{13}-[a-f0-9]{64}$/],
  ['slack-user-token', /^xoxp(-[0-9]{10,13}){3}-[a-zA-Z0-9-]{28,34}$/],
  [
    'slack-webhook-url',
    /^https:\/\/hooks\.slack\.com\/services\/T[A-Z0-9]{8}\/B[A-Z0-9]{8}\/[A-Za-z0-9]{24}$/,
  ],
  ['sourcegraph-access-token', /^sgp_[a-fA-F0-9]{40}$/],
  ['square-access-token', /^sq0atp-[\w-]{22}$/],
  ['stripe-access-token', /^(sk|rk)_(test|live|prod)_[a-zA-Z0-9]{10,99}$/],
  ['telegram-bot-api-token', /^[0-9]{9}:AA[a-zA-Z0-9_-]{33}$/],
  ['twilio-api-key', /^SK[0-9a-f]{32}$/],
  ['typeform-api-token', /^tfp_[a-z0-9_.=-]{59}$/],
  ['vault-service-token', /^hvs\.[\w-]{90,120}$/],
  ['vault-batch-token', /^hvb\.[\w-]{138,150}$/],
  [
    'microsoft-teams-webhook',
    /^https:\/\/[a-z0-9]{8}\.webhook\.office\.com\/webhookb2\/[a-z0-9]{8}(-[a-z0-9]{4}){3}-[a-z0-9]{12}@[a-z0-9]{8}(-[a-z0-9]{4}){3}-[a-z0-9]{12}\/IncomingWebhook\/[a-z0-9]{32}\/[a-z0-9]{8}(-[a-z0-9]{4}){3}-[a-z0-9]{12}$/,
  ],
];

/** Vendors whose keys have no shape of their own: gitleaks knows them by the name that they are assigned to. */
const byName: readonly (readonly [vendor: string, shape: RegExp])[] = [
  ['adafruit', /^[a-z0-9_-]{32}$/],
  ['airtable', /^[a-z0-9]{17}$/],
  ['algolia', /^[a-z0-9]{32}$/],
  ['asana', /^[a-z0-9]{32}$/],
  ['bitbucket', /^[a-z0-9=_-]{64}$/],
  ['cloudflare', /^[a-z0-9_-]{40}$/],
  ['codecov', /^[a-z0-9]{32}$/],
  ['cohere', /^[a-zA-Z0-9]{40}$/],
  ['confluent', /^[a-z0-9]{64}$/],
  ['contentful', /^[a-z0-9=_-]{43}$/],
  ['datadog', /^[a-z0-9]{40}$/],
  ['discord', /^[a-f0-9]{64}$/],
  ['etsy', /^[a-z0-9]{24}$/],
  ['fastly', /^[a-z0-9=_-]{32}$/],
  ['finnhub', /^[a-z0-9]{20}$/],
  ['heroku', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/],
  ['intercom', /^[a-z0-9=_-]{60}$/],
  ['kucoin', /^[a-f0-9]{24}$/],
  ['launchdarkly', /^[a-z0-9=_-]{40}$/],
  ['mailchimp', /^[a-f0-9]{32}-us[0-9]{2}$/],
  ['mailgun', /^key-[a-f0-9]{32}$/],
  ['mattermost', /^[a-z0-9]{26}$/],
  ['netlify', /^[a-z0-9=_-]{40,46}$/],
  ['okta', /^00[\w=-]{40}$/],
  ['plaid', /^[a-z0-9]{30}$/],
  ['snyk', /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/],
  ['sonar', /^[a-z0-9=_-]{40}$/],
  ['travisci', /^[a-z0-9]{22}$/],
  ['twitter', /^[a-z0-9]{50}$/],
  ['yandex', /^AQVN[A-Za-z0-9_-]{35,38}$/],
  ['zendesk', /^[a-z0-9]{40}$/],
];

const others: readonly ShapeRow[] = [
  { scanner: 'secretlint', rule: 'groq', shape: /^gsk_[a-zA-Z0-9]{52}$/ },
  { scanner: 'secretlint', rule: 'vercel', shape: /^vc[pikra]_[A-Za-z0-9]{24,60}$/ },
  { scanner: 'secretlint', rule: 'docker', shape: /^dckr_pat_[a-zA-Z0-9_-]{27}$/ },
  { scanner: 'secretlint', rule: 'figma', shape: /^figd_[A-Za-z0-9_-]{40}$/ },
  { scanner: 'secretlint', rule: '1password', shape: /^ops_eyJ[A-Za-z0-9+/]{250}$/ },
  {
    scanner: 'secretlint',
    rule: 'basicauth',
    shape: /^[a-z]{4,9}:[a-zA-Z0-9_-]{4,20}$/,
    within: [
      'https://@@example.com/path',
      'ftp://@@ftp.example.org',
      'Cannot fetch http://@@10.0.0.1:8080/x as it failed',
    ],
  },
  {
    scanner: 'secretlint',
    rule: 'database-connection-string',
    shape: /^[a-z]{4,9}:[a-zA-Z0-9_!$*-]{6,20}$/,
    within: [
      'postgres://@@db.internal:5432/app',
      'mongodb+srv://@@cluster0.mongodb.net/?retryWrites=true',
      'mysql://@@localhost/shop',
      'jdbc:mysql://@@localhost:3306/shop',
      'redis://@@cache:6379',
      'amqps://@@mq.example.com/vhost',
    ],
  },
  {
    scanner: 'secretlint',
    rule: 'aws-secret-access-key',
    shape: /^[A-Za-z0-9/+]{39}7$/,
    within: [
      'AWS_SECRET_ACCESS_KEY=@',
      'aws_secret_access_key = "@"',
      '"SecretAccessKey": "@"',
      "secretAccessKey: '@',",
    ],
  },
  {
    scanner: 'secretlint',
    rule: 'aws-account-id',
    shape: /^[0-9]{4}-[0-9]{4}-[0-9]{4}$/,
    within: ['AWS_ACCOUNT_ID="@"', 'aws_account_id = @'],
  },
  {
    scanner: 'secretlint',
    rule: 'npm-authtoken',
    shape: /^[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}$/,
    within: ['//registry.npmjs.org/:_authToken=@'],
  },
  {
    scanner: 'trufflehog',
    rule: 'privatekey',
    shape: /^[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{64}\n[A-Za-z0-9+/]{30}==$/,
    within: [
      '-----BEGIN RSA PRIVATE KEY-----\n@\n-----END RSA PRIVATE KEY-----',
      '-----BEGIN OPENSSH PRIVATE KEY-----\n@\n-----END OPENSSH PRIVATE KEY-----',
      'key: |\n-----BEGIN EC PRIVATE KEY-----\n@\n-----END EC PRIVATE KEY-----\n',
      '-----BEGIN PRIVATE KEY-----\n@',
    ],
  },
  { scanner: 'trufflehog', rule: 'xai', shape: /^xai-[0-9a-zA-Z_]{80}$/ },
  { scanner: 'trufflehog', rule: 'replicate', shape: /^r8_[0-9A-Za-z_-]{37}$/ },
  { scanner: 'trufflehog', rule: 'langsmith', shape: /^lsv2_(pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}$/ },
  { scanner: 'trufflehog', rule: 'deepseek', shape: /^sk-[a-z0-9]{31}4$/ },
  { scanner: 'trufflehog', rule: 'openrouter', shape: /^sk-or-v1-[0-9a-f]{64}$/ },
  { scanner: 'trufflehog', rule: 'nvapi', shape: /^nvapi-[a-zA-Z0-9_-]{64}$/ },
  { scanner: 'trufflehog', rule: 'tavily', shape: /^tvly-[a-zA-Z0-9]{31}5$/ },
  { scanner: 'trufflehog', rule: 'voyage', shape: /^pa-[0-9A-Za-z_-]{43}$/ },
  { scanner: 'trufflehog', rule: 'gcp-oauth', shape: /^GOCSPX-[a-zA-Z0-9_-]{28}$/ },
  {
    scanner: 'trufflehog',
    rule: 'azure-storage',
    shape: /^[A-Za-z0-9+/]{86}==$/,
    within: [
      'DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=@;EndpointSuffix=core.windows.net',
      'Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=@',
    ],
  },
  { scanner: 'trufflehog', rule: 'supabase', shape: /^sbp_[a-z0-9]{40}$/ },
  {
    scanner: 'trufflehog',
    rule: 'discordwebhook',
    shape: /^https:\/\/discord\.com\/api\/webhooks\/[0-9]{18}\/[0-9a-zA-Z-]{68}$/,
  },
  { scanner: 'trufflehog', rule: 'circleci', shape: /^CCIPAT_[A-Za-z0-9]{22}_[a-f0-9]{40}$/ },
  {
    scanner: 'detect-secrets',
    rule: 'keyword',
    shape: /^[a-zA-Z0-9!#%*_-]{8,20}$/,
    within: [
      'password = "@"',
      'DB_PASSWORD: "@"',
      '"password": "@"',
      "db_pass='@'".replace('pass', 'passwd'),
      'secret_key = "7@"',
      'passwd => "@"',
      '<param name="x" password="@"/>',
    ],
  },
  {
    scanner: 'detect-secrets',
    rule: 'basic-auth-header',
    shape: /^[a-z]{4,8}:[a-zA-Z0-9]{6,16}$/,
    within: ['Authorization: Basic #'],
  },
  {
    scanner: 'detect-secrets',
    rule: 'bearer',
    shape: /^[a-zA-Z0-9._~+-]{29}7$/,
    within: [
      'Authorization: Bearer @',
      '{"authorization":"Bearer @"}',
      "headers: { Authorization: 'Bearer @' }",
      'sent with bearer @ and refused',
    ],
  },
  {
    scanner: 'detect-secrets',
    rule: 'curl-user',
    shape: /^[a-z]{4,8}:[a-zA-Z0-9]{5,15}7$/,
    within: ['curl -u @ https://example.com/x', 'curl --user "@" https://example.com/x'],
  },
];

export const shapes: readonly ShapeRow[] = [
  ...gitleaks.map(([rule, shape]): ShapeRow => ({ scanner: 'gitleaks', rule, shape })),
  ...byName.map(([vendor, shape]): ShapeRow => ({
    scanner: 'gitleaks',
    rule: vendor,
    shape,
    within: NAMED.map((text) => text.replaceAll('$', vendor)),
  })),
  ...others,
];

export interface Positive {
  readonly scanner: string;
  readonly rule: string;
  readonly secret: string;
  readonly text: string;
}

const arbitraries = new Map<RegExp, fc.Arbitrary<string>>();

/** What matches a shape: made once, as that takes a hundred times as long as to draw from it. */
const matching = (shape: RegExp): fc.Arbitrary<string> => {
  const made = arbitraries.get(shape) ?? fc.stringMatching(shape);
  arbitraries.set(shape, made);
  return made;
};

const drawn = (shape: RegExp, seed: number, count: number): readonly string[] =>
  fc.sample(matching(shape), { seed, numRuns: count });

/** Texts with a secret in each, made of the shapes that the public scanners publish; the same for a seed. */
export const positives = (seed: number, each = 6): readonly Positive[] =>
  shapes.flatMap(({ scanner, rule, shape, within = ANYWHERE }, place) =>
    drawn(shape, seed + place, each).map((drawnSecret, index) => {
      const frame = within[index % within.length] ?? '@';
      const secret = frame.includes('#') ? btoa(drawnSecret) : drawnSecret;
      const at = frame.search(/[@#]/);
      return { scanner, rule, secret, text: frame.slice(0, at) + secret + frame.slice(at + 1) };
    }),
  );

const hex = (length: number) => new RegExp(`^[0-9a-f]{${length}}$`);
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** What looks like a secret and is none, `@` for the part that is drawn. */
const hardNegatives: readonly (readonly [kind: string, shape: RegExp, frames: readonly string[]])[] = [
  [
    'uuid',
    UUID,
    [
      '@',
      'run @ ended',
      '{"id":"@","status":"ok"}',
      'GET /v1/runs/@/events 200',
      'idempotency_key: @',
      'traceId=@',
      'session @ was resumed',
    ],
  ],
  [
    'git hash',
    hex(40),
    ['commit @', 'Merge @ into main', '{"sha":"@"}', 'git checkout @', 'HEAD is now at @ fix it'],
  ],
  ['short git hash', hex(7), ['@ journal: accept tool turns', 'reverts @', 'index @..3f2a91c 100644']],
  [
    'digest',
    hex(64),
    [
      'sha256:@',
      'checksum: @',
      'FROM node@sha256:@'.replace('node@', 'node '),
      '"digest": "sha256:@"',
      'ETag: "@"',
    ],
  ],
  [
    'integrity',
    /^[A-Za-z0-9+/]{86}==$/,
    ['"integrity": "sha512-@"', 'integrity sha512-@', '  integrity: sha512-@'],
  ],
  [
    'base64 image',
    /^[A-Za-z0-9+/]{400}$/,
    ['data:image/png;base64,iVBORw0KGgo@', '<img src="data:image/gif;base64,R0lGOD@">'],
  ],
  [
    'lockfile',
    /^[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{1,2}$/,
    [
      '"resolved": "https://registry.npmjs.org/zod/-/zod-@.tgz"',
      'lodash@^@:\n  version "@"'.replace('lodash@', 'lodash '),
      'gpt-4o-mini-2024-07-18 @',
    ],
  ],
  [
    'call id',
    /^[A-Za-z0-9]{24}$/,
    ['call_@', 'chatcmpl-@', 'msg_01@', 'toolu_01@', 'resp_@', 'req_@', 'file-@', 'run_@'],
  ],
  [
    'number',
    /^[1-9][0-9]{6,15}$/,
    [
      'token count: @',
      'max_tokens: @',
      'tokens: @',
      'timestamp @',
      'order @ was shipped',
      'password attempts: @'.replace('password attempts', 'attempts'),
    ],
  ],
  [
    'path',
    /^[a-z]{3,9}\/[a-z]{3,9}-[a-z]{3,9}\/[a-z]{3,9}$/,
    [
      '/home/ada/@.ts',
      'keyFile: /etc/ssl/@.pem',
      'import x from "./@.ts"',
      'secretName: @',
      'token_url: https://example.com/@',
      'at Object.<anonymous> (/srv/@.js:12:5)',
    ],
  ],
  [
    'class name',
    /^[A-Z][a-z]{3,9}[A-Z][a-z]{3,9}Factory$/,
    [
      'new @(options)',
      'com.example.security.@',
      'class @ implements TokenProvider {}',
      'tokenProvider = @.create(config)',
    ],
  ],
  [
    'address',
    /^[a-z]{3,9}\.[a-z]{3,9}\.(com|org|dev)$/,
    [
      'https://@:8443/path?x=a@b.c'.replace('?x=a@b.c', '?x=1'),
      'http://@/a/b#c',
      'ada@example.com wrote to https://@',
      'ssh://git@@/repo.git',
    ],
  ],
  ['colour and css', hex(6), ['color: #@;', 'background: #@', 'fill="#@"']],
  [
    'date',
    /^20[0-9]{2}-0[1-9]-1[0-9]T1[0-9]:[0-5][0-9]:[0-5][0-9]Z$/,
    ['"createdAt": "@"', 'token expires at @', 'password changed: @', 'last login @'],
  ],
  ['base32 id', /^[0-9A-HJKMNP-TV-Z]{26}$/, ['ulid @', '{"event":"@"}', 'cursor=@']],
];

const prose: readonly string[] = [
  'The password must be at least twelve characters long and contain a digit.',
  'Please enter your password: it is the one that you chose when you registered.',
  'Your token has expired; request a new one and try again.',
  'The secret of good soup is time: three hours at least.',
  'Basic information about the company, its bearers and its officers is on page 3.',
  'Authorization is required to open this page.',
  'We passed the key points on to the author, who accessed them at once.',
  'A bearer token is sent in the header Authorization: Bearer <token>.',
  'Set OPENAI_API_KEY=<your key> or pass apiKey to the constructor.',
  'export OPENAI_API_KEY="$MY_KEY"',
  'const apiKey = process.env.OPENAI_API_KEY;',
  'const token = await getToken(request);',
  'password: z.string().min(8),',
  'if (password === undefined) throw new Error("password is missing");',
  'interface Options { readonly apiKey?: string; readonly token: string | undefined }',
  'secret: ${{ secrets.GITHUB_TOKEN }}',
  'token: "${TOKEN}"',
  'api_key: {{ api_key }}',
  'password = os.environ["DB_PASSWORD"]',
  '{"token_type":"bearer","expires_in":3600}',
  '{"usage":{"prompt_tokens":128,"completion_tokens":64,"total_tokens":192}}',
  'tokenizer: "cl100k_base"',
  'tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased-2019")',
  'max_new_tokens=2048, temperature=0.7',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJk3zMmMcL0Nn1DrQy8mC0aV7ZKQ2bXnqkz0v0PvUO3d ada@laptop',
  '-----BEGIN CERTIFICATE-----\nMIIDXTCCAkWgAwIBAgIJAJC1HiIAZAiIMA0GCSqGSIb3DQEBBQUAMEUxCzAJBgNV\n-----END CERTIFICATE-----',
  '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHCozMxH2Mo\n-----END PUBLIC KEY-----',
  'publicKey: "MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAu1SU1LfVLPHC"',
  'kubectl get secret my-app-tls -n production-2',
  'the primary key is user_id_2024 and the foreign key is order_id_17',
  'Press any key: Enter, Escape or F10.',
  'keyboard shortcut: ctrl+shift+p2',
  'See https://example.com/docs/authentication?section=tokens#api-keys for more.',
  'monkey = Monkey.create(name="george-the-3rd-of-1984")',
  'author: "Jane Doe <jane.doe1984@example.com>"',
  'The session keyword is `session_start` and the page is auth/login2.html.',
  'The answer is 42 [1]. Sources: [1] guide/secrets.md#L10-L20',
  'sk-learn is short for scikit-learn, the library.',
  'risk-free-and-task-based-scheduling-for-everybody-in-the-house',
  'hf_hub_download(repo_id="bert", filename="config.json")',
  'npm_config_registry=https://registry.npmjs.org/ npm_package_name=troupe',
  'Cannot read config.json as it is not there: ENOENT: no such file or directory',
  'next_page_token: CAUQAA',
  'csrf_token=meta[name=csrf]',
  'Password: ********',
  'password = "changeme"',
  '"secret": "[redacted SHOP_API_KEY]"',
];

export interface Negative {
  readonly kind: string;
  readonly text: string;
}

/** Texts that look as if there were a secret in them, and there is none; the same for a seed. */
export const negatives = (seed: number, each = 4): readonly Negative[] => [
  ...hardNegatives.flatMap(([kind, shape, frames], place) =>
    frames.flatMap((frame, index) =>
      drawn(shape, seed + 100 * place + index, each).map((part) => ({
        kind,
        text: frame.replaceAll('@', part),
      })),
    ),
  ),
  ...prose.map((text) => ({ kind: 'prose and code', text })),
];
