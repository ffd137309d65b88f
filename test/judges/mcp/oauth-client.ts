import {
  auth,
  ClientCredentialsProvider,
  CrossAppAccessProvider,
  DpopSession,
  PrivateKeyJwtProvider,
  requestJwtAuthorizationGrant,
} from '@modelcontextprotocol/client';
import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { isJsonObject } from '../../../src/base/json/json.ts';
import type { Json } from '../../../src/base/json/json.ts';

/** Where a browser would be led back to. */
const CALLBACK = 'http://127.0.0.1:9/callback';

/** The OAuth client that a scenario of the suite wants: of credentials without a person, or of one who lets it in. */
export const oauthClient = (url: string, context: Json): OAuthClientProvider => {
  const {
    name,
    client_id: clientId,
    client_secret: clientSecret,
    private_key_pem: privateKey,
    idp_client_id: clientIdAtProvider,
    idp_id_token: idToken,
    idp_token_endpoint: tokenEndpoint,
    valid_jwt: assertion,
  } = isJsonObject(context) ? context : {};
  if (typeof clientId !== 'string') return new BrowserlessClient(url);
  if (name === 'auth/client-credentials-basic' && typeof clientSecret === 'string')
    return new ClientCredentialsProvider({ clientId, clientSecret });
  if (name === 'auth/client-credentials-jwt' && typeof privateKey === 'string')
    return new PrivateKeyJwtProvider({ clientId, privateKey, algorithm: 'ES256' });
  if (
    typeof clientSecret === 'string' &&
    typeof clientIdAtProvider === 'string' &&
    typeof idToken === 'string' &&
    typeof tokenEndpoint === 'string'
  )
    return new CrossAppAccessProvider({
      clientId,
      clientSecret,
      assertion: async ({ authorizationServerUrl: audience, resourceUrl: resource }) => {
        const grant = { tokenEndpoint, audience, resource, idToken, clientId: clientIdAtProvider };
        return (await requestJwtAuthorizationGrant(grant)).jwtAuthGrant;
      },
    });
  if (typeof assertion === 'string') return new WorkloadClient(clientId, assertion);
  return new BrowserlessClient(url, {
    client_id: clientId,
    ...(typeof clientSecret === 'string' ? { client_secret: clientSecret } : {}),
  });
};

/** Proves by an assertion of its platform who it is: for workload identity federation the package has no client. */
class WorkloadClient implements OAuthClientProvider {
  readonly redirectUrl = undefined;
  readonly clientMetadata: OAuthClientMetadata;
  readonly #clientId: string;
  readonly #assertion: string;
  #tokens: StoredOAuthTokens | undefined;

  constructor(clientId: string, assertion: string) {
    this.#clientId = clientId;
    this.#assertion = assertion;
    this.clientMetadata = {
      redirect_uris: [],
      grant_types: [JWT_BEARER],
      token_endpoint_auth_method: 'none',
    };
  }

  clientInformation(): StoredOAuthClientInformation {
    return { client_id: this.#clientId };
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  prepareTokenRequest(scope?: string): URLSearchParams {
    const asked = scope === undefined ? {} : { scope };
    return new URLSearchParams({ grant_type: JWT_BEARER, assertion: this.#assertion, ...asked });
  }

  redirectToAuthorization(): void {
    throw new Error('There is no person.');
  }

  saveCodeVerifier(): void {}

  codeVerifier(): string {
    return '';
  }
}

/** Of RFC 7523. */
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** Goes through the whole flow by itself, as a browser and the person before it would. */
class BrowserlessClient implements OAuthClientProvider {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadataUrl = 'https://conformance-test.local/client-metadata.json';
  readonly clientMetadata: OAuthClientMetadata = {
    client_name: 'troupe',
    redirect_uris: [CALLBACK],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  };
  readonly #keys = DpopSession.create();
  readonly #server: string;
  #client: StoredOAuthClientInformation | undefined;
  #tokens: StoredOAuthTokens | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;

  constructor(server: string, client?: StoredOAuthClientInformation) {
    this.#server = server;
    this.#client = client;
  }

  /** Binds tokens to a key, where the authorization server knows how. */
  dpop(): Promise<DpopSession> {
    return this.#keys;
  }

  clientInformation(): StoredOAuthClientInformation | undefined {
    return this.#client;
  }

  saveClientInformation(client: StoredOAuthClientInformation): void {
    this.#client = client;
  }

  tokens(): StoredOAuthTokens | undefined {
    return this.#tokens;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    this.#tokens = tokens;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'all' || scope === 'client') this.#client = undefined;
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined;
    if (scope === 'all' || scope === 'discovery') this.#discovery = undefined;
  }

  async redirectToAuthorization(address: URL): Promise<void> {
    const { headers } = await fetch(address, { redirect: 'manual' });
    const back = new URL(headers.get('location') ?? CALLBACK).searchParams;
    const iss = back.get('iss');
    await auth(this, {
      serverUrl: this.#server,
      authorizationCode: back.get('code') ?? '',
      ...(iss === null ? {} : { iss }),
    });
    // It holds for this flow: the server may have moved to another authorization server before the next.
    this.#discovery = undefined;
  }
}
