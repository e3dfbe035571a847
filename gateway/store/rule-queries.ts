import { fromBinary, toBinary } from '@bufbuild/protobuf';
import type { Kysely } from 'kysely';
import {
  type PermissionRule,
  PermissionRuleSchema,
  RuleSource,
} from '#gen/toolgate/gateway/v1/permission_pb.ts';
import type { Store } from './store.ts';
import type { Tables } from './tables.ts';

/** What the store knows of rules that people made. */
export function ruleQueries(
  database: Kysely<Tables>,
): Pick<Store, 'rules' | 'rule' | 'putRule' | 'deleteRule'> {
  return {
    rules: async (user, sessionId) => {
      const rows = await database
        .selectFrom('rules')
        .select('body')
        .where(where => where.or([where('user_name', '=', user), where('session_id', '=', sessionId)]))
        .orderBy('rule_id')
        .execute();
      return rows.map(row => fromBinary(PermissionRuleSchema, row.body));
    },
    rule: async ruleId => {
      const row = await database
        .selectFrom('rules')
        .select('body')
        .where('rule_id', '=', ruleId)
        .executeTakeFirst();
      return row === undefined ? undefined : fromBinary(PermissionRuleSchema, row.body);
    },
    putRule: (rule, user) => putRule(database, rule, user),
    deleteRule: async ruleId => {
      await database.deleteFrom('rules').where('rule_id', '=', ruleId).execute();
    },
  };
}

/** Writes a rule, also inside a transaction. */
export async function putRule(database: Kysely<Tables>, rule: PermissionRule, user: string): Promise<void> {
  const changes = ownedBy(rule, user);
  await database
    .insertInto('rules')
    .values({ rule_id: rule.ruleId, ...changes })
    .onConflict(conflict => conflict.column('rule_id').doUpdateSet(changes))
    .execute();
}

function ownedBy(rule: PermissionRule, user: string) {
  const ofUser = rule.source === RuleSource.USER;
  return {
    user_name: ofUser ? user : null,
    session_id: ofUser ? null : rule.sessionId,
    body: toBinary(PermissionRuleSchema, rule),
  };
}
