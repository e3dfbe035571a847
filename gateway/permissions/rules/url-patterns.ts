import { matchesGlob, parseGlob, type TextGlob } from './text-glob.ts';

/** The content of a rule for addresses. */
export interface UrlPattern {
  /** True when the glob is over the host, not the whole address. */
  readonly isDomain: boolean;
  readonly glob: TextGlob;
  /** The one host that an address must have, where the pattern names one. */
  readonly host: string | undefined;
}

/** Reads "domain:host", "domain:*.host" (which leaves out the host itself), or a glob over the whole address. */
export function parseUrlPattern(content: string): UrlPattern {
  if (!content.startsWith('domain:')) return { isDomain: false, glob: parseGlob(content), host: undefined };
  const glob = parseGlob(canonicalHost(content.slice('domain:'.length)));
  return { isDomain: true, glob, host: glob.length === 1 ? glob[0] : undefined };
}

/** True when the pattern matches an address. */
export function matchesUrl({ isDomain, glob }: UrlPattern, address: string): boolean {
  if (!isDomain) return matchesGlob(glob, address);
  const host = hostOf(address);
  return host !== undefined && matchesGlob(glob, host);
}

/** The host an address really leads to, in lower case and without a final dot; undefined when it has none. */
export function hostOf(address: string): string | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return host === '' ? undefined : canonicalHost(host);
}

function canonicalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
