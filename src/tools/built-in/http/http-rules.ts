/** Rules for HTTP requests. */
export interface HttpRules {
  /** Default `GET` and `HEAD`. */
  readonly methods?: readonly string[] | undefined;
  /** Default 80 and 443. */
  readonly ports?: readonly number[] | undefined;
  /** The only hosts, with those below them: `example.com` is `docs.example.com`, too. Redirects count. Default: all. */
  readonly hosts?: readonly string[] | undefined;
  /** Hosts with their port (`intranet.example:8080`) that are allowed at any address. Default: none. */
  readonly trusted?: readonly string[] | undefined;
  /** Redirects followed. Default 5. */
  readonly maxRedirects?: number | undefined;
  /** Of an answer. Default 2,000,000. */
  readonly maxBytes?: number | undefined;
  /** In ms, for all hops together. Default 15,000. */
  readonly timeoutMs?: number | undefined;
  /** All addresses of a name. Default: the system's resolver. */
  readonly lookup?: ((host: string) => Promise<readonly string[]>) | undefined;
}
