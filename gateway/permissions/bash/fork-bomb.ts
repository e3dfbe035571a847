import { forEachChild, type SyntaxNode } from 'unbash';

// A function body with more nodes than this is no bomb that anybody writes on one line.
const mostNodes = 500;

/** True for a function that starts itself in a pipe or in the background, so that it multiplies. */
export function isForkBomb(node: SyntaxNode): boolean {
  if (node.type !== 'Function') return false;
  const pending: { node: SyntaxNode; multiplies: boolean }[] = [{ node: node.body, multiplies: false }];
  for (let count = 0; count < mostNodes; count++) {
    const next = pending.pop();
    if (next === undefined) return false;
    if (next.multiplies && next.node.type === 'Command' && next.node.name?.value === node.name.value)
      return true;
    const multiplies = next.multiplies || startsProcesses(next.node);
    forEachChild(next.node, child => pending.push({ node: child, multiplies }));
  }
  return false;
}

function startsProcesses(node: SyntaxNode): boolean {
  return node.type === 'Pipeline' || (node.type === 'Statement' && node.background === true);
}
