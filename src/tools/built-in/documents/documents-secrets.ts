const NAMES: ReadonlySet<string> = new Set(
  (
    '.netrc _netrc .npmrc .yarnrc.yml .pypirc .pgpass .my.cnf .git-credentials .htpasswd .dockercfg .vault-token .s3cfg .boto .envrc ' +
    '.bash_history .zsh_history .python_history .psql_history .mysql_history .node_repl_history credentials credentials.json ' +
    'client_secret.json service-account.json application_default_credentials.json secrets.json secrets.yml secrets.yaml secrets.toml ' +
    'master.key kubeconfig terraform.tfstate terraform.tfstate.backup'
  ).split(' '),
);

const ENDINGS = /\.(?:pem|key|p8|p12|pfx|pkcs12|jks|keystore|kdbx?|ppk|ovpn|tfvars|asc\.key|gpg|env)$/;
const KEY_FILES = /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?(?:[-_.].*)?$/;
/** Settings with their values left out are documentation. */
const EXAMPLES = /\.(?:example|sample|template|dist|defaults?)$/;

/** Checks whether the name of a file indicates keys: `.env.local`, `id_rsa`, `server.pem`. Public keys are exempt. */
export const isSecretFile = (name: string): boolean => {
  const lower = name.toLowerCase();
  if (EXAMPLES.test(lower) || lower.endsWith('.pub')) return false;
  return (
    NAMES.has(lower) ||
    lower === '.env' ||
    lower.startsWith('.env.') ||
    ENDINGS.test(lower) ||
    KEY_FILES.test(lower)
  );
};

/** Checks whether a text starts as a private key file, after comments of a few lines. */
export const holdsPrivateKey = (text: string): boolean =>
  /^(?:-----BEGIN [A-Z ]{0,40}PRIVATE KEY|PuTTY-User-Key-File-)/m.test(text.slice(0, 2_000));
