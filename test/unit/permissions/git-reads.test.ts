import { describe, expect, it } from 'vitest';
import { PermissionMode } from '#gen/toolgate/gateway/v1/permission_pb.ts';
import { answerTo } from '#test/permission-calls.ts';

const trusted = { trustsRepository: true };

describe('git in a repository that somebody vouched for', () => {
  const shows = [
    'git status',
    'git status -sb',
    'git status --porcelain=v2',
    'git log --oneline -20',
    'git log -S term -- src',
    'git log -Sexec',
    'git log --format=%H --since="2 days ago"',
    'git diff',
    'git diff HEAD~1 --stat -- src/a.ts',
    'git diff --cached -U5',
    'git show HEAD:README.md',
    'git blame -L 1,5 src/a.ts',
    'git branch -avv',
    'git branch --show-current',
    'git tag -n3',
    'git remote -v',
    'git remote get-url origin',
    'git stash list',
    'git ls-files -o --exclude-standard',
    'git rev-parse --abbrev-ref HEAD',
    'cd /repo && git status',
    'git log --oneline | head -5',
  ];
  it.each(shows)('%s runs without asking, also in PLAN', command => {
    expect(answerTo(command, trusted)).toBe('allow');
    expect(answerTo(command, { ...trusted, mode: PermissionMode.PLAN })).toBe('allow');
  });

  it.each(shows)('%s asks where nobody did', command => {
    expect(answerTo(command)).toBe('ask');
  });

  const changes = [
    'git branch new',
    'git branch -D old',
    'git branch -m a b',
    'git branch --unset-upstream',
    'git tag v1',
    'git tag -d v1',
    'git tag -- v1',
    'git remote add x y',
    'git remote -v update',
    'git remote get-url --push origin',
    'git stash',
    'git stash drop',
    'git reflog expire --all',
    'git worktree add x',
    'git log --output=x',
    'git log --ext-diff',
    'git diff --textconv',
    'git diff --no-index /etc/passwd x',
    'git grep -O x',
    'git grep x',
    'git -c core.pager=x log',
    'git -C other log',
    'git --git-dir=x status',
    'git status --unknown-option',
    'git diff -O order',
    'git $x',
    'git log $x',
    'GIT_DIR=x git status',
    './git status',
    'cd other && git status',
    'git fetch',
    'git commit -m x',
    'git checkout -- x',
    'git config --get x',
    'git rev-parse --parseopt',
  ];
  it.each(changes)('%s still asks', command => {
    expect(answerTo(command, trusted)).toBe('ask');
  });
});
