/** What became of a case: it ran, with problems or without, or was skipped with a reason. */
export type ToolVerdict =
  | { readonly kind: 'ran'; readonly problems: readonly string[] }
  | { readonly kind: 'skipped'; readonly reason: string };

/** A case that this runner cannot play; the reason is for people. */
export function skipped(reason: string): ToolVerdict {
  return { kind: 'skipped', reason };
}
