import { matchesGlob, parseGlob } from './text-glob.ts';

/**
 * True when the content of a rule matches an address: "domain:host", "domain:*.host" (which leaves out the host
 * itself), or a glob over the whole address.
 */
export function matchesUrl(content: string, address: string): boolean {
  if (!content.startsWith('domain:')) return matchesGlob(parseGlob(content), address);
  const host = hostOf(address);
  const pattern = canonicalHost(content.slice('domain:'.length));
  return host !== undefined && pattern !== '' && matchesGlob(parseGlob(pattern), host);
}

/** The host an address really leads to, in lower case and without a final dot; undefined when it has none. */
export function hostOf(address: string): string | undefined {
  const host = URL.canParse(address) ? new URL(address).hostname : '';
  return host === '' ? undefined : canonicalHost(host);
}

function canonicalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
