/**
 * The rules of gitleaks (MIT, gitleaks/gitleaks at 009e025ad410, config/gitleaks.toml) that name a form, as what they find looks: `X` a capital or digit, `a` a
 * small letter, `x` a letter or digit, `w` also `_` and `-`, `h` a hexadecimal digit, `9` a digit, `b` a digit of base64, and how many; all else as it
 * stands, a literal within quotes.
 *
 * Written down from its list, not from ours: what it has and we do not is a miss. Of rules that only know the name of a vendor beside a value, the
 * corpus has some.
 */
const RULES = `
1password-secret-key 'A3-'X6'-'X11'-'X5'-'X5'-'X5
1password-service-account-token 'ops_eyJ'b250
adobe-client-secret 'p8e-'x32
age-secret-key 'AGE-SECRET-KEY-1'X58
alibaba-access-key-id 'LTAI'x20
anthropic-admin-api-key 'sk-ant-admin01-'w93'AA'
anthropic-api-key 'sk-ant-api03-'w93'AA'
artifactory-api-key 'AKCp'x69
artifactory-reference-token 'cmVmd'x59
atlassian-api-token 'ATATT3'w186
authress-service-client-access-key 'sc_'x20'.'x5'.acc_'a12'.'x60
aws-access-token 'AKIA'X16
aws-access-token 'ASIA'X16
azure-ad-client-secret x3'8Q~'x32
clickhouse-cloud-api-secret-key '4b1d'x38
clojars-api-token 'CLOJARS_'x60
cloudflare-origin-ca-key 'v1.0-'h24'-'h146
curl-auth-header 'curl -H "Authorization: Token 'x24'" https://example.com'
curl-auth-user 'curl -u ada:'x16' https://example.com'
databricks-api-token 'dapi'h32
defined-networking-api-token 'dnkey-'w26'-'w52
digitalocean-access-token 'doo_v1_'h64
digitalocean-pat 'dop_v1_'h64
digitalocean-refresh-token 'dor_v1_'h64
discord-client-secret 'discord_client_secret = "'w32'"'
doppler-api-token 'dp.pt.'x43
dropbox-short-lived-api-token 'dropbox_token = "sl.'w135'"'
duffel-api-token 'duffel_live_'w43
dynatrace-api-token 'dt0c01.'x24'.'x64
easypost-api-token 'EZAK'x54
easypost-test-api-token 'EZTK'x54
facebook-access-token 'facebook_token = "'915'|'w27'"'
facebook-page-access-token 'EAAC'x110
flutterwave-encryption-key 'FLWSECK_TEST-'h12
flutterwave-public-key 'FLWPUBK_TEST-'h32'-X'
flutterwave-secret-key 'FLWSECK_TEST-'h32'-X'
flyio-access-token 'fo1_'w43
flyio-access-token 'fm2_'b120
frameio-api-token 'fio-u-'w64
freemius-secret-key "'secret_key' => 'sk_"x29"'"
gcp-api-key 'AIza'w35
github-app-token 'ghs_'x36
github-fine-grained-pat 'github_pat_'x82
github-oauth 'gho_'x36
github-pat 'ghp_'x36
github-refresh-token 'ghr_'x36
gitlab-cicd-job-token 'glcbt-64_'w20
gitlab-deploy-token 'gldt-'w20
gitlab-feature-flag-client-token 'glffct-'w20
gitlab-feed-token 'glft-'w20
gitlab-incoming-mail-token 'glimt-'w25
gitlab-kubernetes-agent-token 'glagent-'w50
gitlab-oauth-app-secret 'gloas-'w64
gitlab-pat 'glpat-'w20
gitlab-pat-routable 'glpat-'w27'.01.'x9
gitlab-ptt 'glptt-'h40
gitlab-rrt 'GR1348941'w20
gitlab-runner-authentication-token 'glrt-'w20
gitlab-runner-authentication-token-routable 'glrt-t1_'w27'.01.'x9
gitlab-scim-token 'glsoat-'w20
gitlab-session-cookie 'Cookie: _gitlab_session='x32
gocardless-api-token 'live_'w40
grafana-api-key 'eyJrIjoi'x80
grafana-cloud-api-token 'glc_'b60
grafana-service-account-token 'glsa_'x32'_'h8
harness-api-key 'pat.'w22'.'x24'.'x20
hashicorp-tf-api-token x14'.atlasv1.'w65
hashicorp-tf-password 'administrator_login_password = "'x16'"'
heroku-api-key-v2 'HRKU-AA'w58
huggingface-access-token 'hf_'a34
huggingface-organization-api-token 'api_org_'a34
infracost-api-token 'ico-'x32
intra42-client-secret 's-s4t2ud-'h64
jwt 'eyJ'x30'.eyJ'x60'.'w43
jwt-base64 'ZXlKaGJHY2lPaU'x80
kubernetes-secret-yaml 'kind: Secret data: password: 'b20
linear-api-key 'lin_api_'x40
lob-api-key 'live_'h35
lob-pub-api-key 'test_pub_'h31
mailchimp-api-key h32'-us14'
mailgun-private-api-token 'key-'h32
mailgun-pub-key 'pubkey-'h32
mapbox-api-token 'pk.eyJ1'x57'.'x22
maxmind-license-key x6'_'x29'_mmk'
microsoft-teams-webhook 'https://acme.webhook.office.com/webhookb2/'h36'@'h36'/IncomingWebhook/'h32'/'h36
new-relic-browser-api-token 'NRJS-'h19
new-relic-insert-key 'NRII-'x32
new-relic-user-api-key 'NRAK-'X27
notion-api-token 'ntn_'911x35
npm-access-token 'npm_'x36
nuget-config-password '<add key="ClearTextPassword" value="'x12'" />'
octopus-deploy-api-key 'API-'X26
okta-access-token 'Authorization: SSWS 00'w40
openai-api-key 'sk-proj-'w74'T3BlbkFJ'w74
openai-api-key 'sk-'x20'T3BlbkFJ'x20
openshift-user-token 'sha256~'w43
perplexity-api-key 'pplx-'x48
plaid-api-token 'access-sandbox-'h8'-'h4'-'h4'-'h4'-'h12
planetscale-api-token 'pscale_tkn_'w43
planetscale-oauth-token 'pscale_oauth_'w43
planetscale-password 'pscale_pw_'w43
postman-api-token 'PMAK-'h24'-'h34
prefect-api-token 'pnu_'x36
private-key '-----BEGIN RSA PRIVATE KEY-----'b300'-----END RSA PRIVATE KEY-----'
pulumi-api-token 'pul-'h40
pypi-upload-token 'pypi-AgEIcHlwaS5vcmc'w80
readme-api-token 'rdme_'x70
rubygems-api-token 'rubygems_'h48
scalingo-api-token 'tk-us-'w48
sendgrid-api-token 'SG.'w22'.'w43
sendinblue-api-token 'xkeysib-'h64'-'x16
sentry-org-token 'sntrys_eyJpYXQiO'b60'LCJyZWdpb25fdXJs'b40'_'b43
sentry-user-token 'sntryu_'h64
settlemint-application-access-token 'sm_aat_'x16
settlemint-personal-access-token 'sm_pat_'x16
settlemint-service-access-token 'sm_sat_'x16
shippo-api-token 'shippo_live_'h40
shopify-access-token 'shpat_'h32
shopify-custom-access-token 'shpca_'h32
shopify-private-app-access-token 'shppa_'h32
shopify-shared-secret 'shpss_'h32
sidekiq-sensitive-url 'https://'h8':'h8'@gems.contribsys.com/'
slack-app-token 'xapp-1-'X11'-'913'-'h64
slack-bot-token 'xoxb-'912'-'912'-'x24
slack-config-access-token 'xoxe.xoxp-1-'X164
slack-config-refresh-token 'xoxe-1-'X146
slack-legacy-bot-token 'xoxb-'911'-'x24
slack-legacy-token 'xoxs-'911'-'911'-'911'-'h32
slack-legacy-workspace-token 'xoxa-2-'x40
slack-user-token 'xoxp-'911'-'911'-'911'-'x30
slack-webhook-url 'https://hooks.slack.com/services/'b44
sourcegraph-access-token 'sgp_'h40
square-access-token 'sq0atp-'w22
square-access-token 'EAAA'w60
stripe-access-token 'sk_live_'x24
stripe-access-token 'rk_prod_'x24
telegram-bot-api-token 99':AA'w33
twilio-api-key 'SK'h32
typeform-api-token 'tfp_'w59
vault-batch-token 'hvb.'w140
vault-service-token 'hvs.'w95
vault-service-token 's.'x24
yandex-access-token 't1.'w60'.'w86
yandex-api-key 'AQVN'w36
yandex-aws-access-token 'YC'w38
`;

const CAPITALS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const SMALL = CAPITALS.toLowerCase();
const DIGITS = '0123456789';
const ALPHABETS: Readonly<Record<string, string>> = {
  X: CAPITALS + DIGITS,
  a: SMALL,
  x: CAPITALS + SMALL + DIGITS,
  w: `${CAPITALS}${SMALL}${DIGITS}_-`,
  h: `${DIGITS}abcdef`,
  b: `${CAPITALS}${SMALL}${DIGITS}+/`,
  '9': DIGITS,
};

/** What a rule finds. */
export interface RuleExample {
  readonly rule: string;
  readonly text: string;
  /** The longest part of it that is made by chance: it must not be shown. */
  readonly secret: string;
}

const PART = /'(?<single>[^']*)'|"(?<double>[^"]*)"|(?<alphabet>[Xaxwhb9])(?<count>\d+)/g;

const exampleOf = (rule: string, form: string, seed: number): RuleExample => {
  let text = '';
  let secret = '';
  for (const { groups = {} } of form.matchAll(PART)) {
    const { single, double = single, alphabet = '', count = '' } = groups;
    const part = double ?? drawn(ALPHABETS[alphabet] ?? '', Number(count), seed + 7 * text.length);
    text += part;
    if (double === undefined && part.length > secret.length) secret = part;
  }
  return { rule, text, secret };
};

/** Characters by chance: a generator of Park and Miller. */
const drawn = (alphabet: string, count: number, seed: number): string => {
  let state = (seed % 2_147_483_646) + 1;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return alphabet.charAt(state % alphabet.length);
  }).join('');
};

/** Examples of each form of gitleaks, made anew by each seed. */
export const ruleExamples = (seed: number): readonly RuleExample[] =>
  RULES.trim()
    .split('\n')
    .map((line, index) => {
      const space = line.indexOf(' ');
      return exampleOf(line.slice(0, space), line.slice(space + 1), seed + 1_000 * index);
    });
