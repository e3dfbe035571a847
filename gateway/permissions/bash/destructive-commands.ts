import { posix } from 'node:path';
import { isInside } from '../files/resolved-path.ts';
import type { PermissionFacts } from '../permission-call.ts';
import type { CommandWord } from './command-word.ts';
import { programNameOf, type SimpleCommand } from './simple-command.ts';

const diskPrograms =
  /^(mkfs(\..+)?|mke2fs|mkswap|wipefs|fdisk|sfdisk|cfdisk|parted|blkdiscard|shred|hdparm)$/;
const treePrograms = ['rm', 'chmod', 'chown', 'chgrp'];
const recursiveOption = /^(-[a-zA-Z]*[rR][a-zA-Z]*|--recursive|--r(e(c(u(r(s(i(v)?)?)?)?)?)?)?)$/;

/** Why a command may destroy more than its caller can want, or undefined. */
export function destructionOf(command: SimpleCommand, facts: PermissionFacts): string | undefined {
  const name = programNameOf(command);
  if (name === undefined || command.isGuess) return undefined;
  if (diskPrograms.test(name)) return 'overwrites disks or files for good';
  const words = command.words.slice(1);
  if (name === 'dd') return words.some(writesDevice) ? 'writes to a device' : undefined;
  if (!treePrograms.includes(name) || !words.some(word => recursiveOption.test(word.text))) return undefined;
  const target = words.find(word => !word.text.startsWith('-') && isRoot(word, facts));
  return target === undefined ? undefined : 'reaches everything below a root or home folder';
}

function writesDevice(word: CommandWord): boolean {
  return word.text.startsWith('of=/dev/') && !/^of=\/dev\/(null|zero|stdout|stderr)$/.test(word.text);
}

// A word about which nothing is known may be empty, so that "$FOLDER/" is "/".
function isRoot(word: CommandWord, facts: PermissionFacts): boolean {
  if (!word.isLiteral && word.text === '') return true;
  if (!word.isLiteral && !word.text.endsWith('/')) return false;
  const path = posix.resolve(facts.workingDirectory, word.text.replace(/\/\*$/, ''));
  const target = path.length > 1 ? path.replace(/\/$/, '') : path;
  const isTopFolder = target.split('/').length <= 2;
  return isTopFolder || isInside(facts.homeDirectory, target) || isInside(facts.workspaceRoot, target);
}
