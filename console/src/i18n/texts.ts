import type charges from './en/charges.ts';
import type common from './en/common.ts';
import type credit from './en/credit.ts';
import type devices from './en/devices.ts';
import type keys from './en/keys.ts';
import type models from './en/models.ts';
import type operator from './en/operator.ts';
import type operatorAccounts from './en/operator-accounts.ts';
import type operatorAudit from './en/operator-audit.ts';
import type operatorCredits from './en/operator-credits.ts';
import type operatorHealth from './en/operator-health.ts';
import type operatorSignIns from './en/operator-sign-ins.ts';
import type overview from './en/overview.ts';
import type passkeys from './en/passkeys.ts';
import type paying from './en/paying.ts';
import type playground from './en/playground.ts';
import type pulse from './en/pulse.ts';
import type signIn from './en/sign-in.ts';
import type statements from './en/statements.ts';
import type team from './en/team.ts';
import type usage from './en/usage.ts';
import type webhooks from './en/webhooks.ts';
import type workflows from './en/workflows.ts';

/** The English texts of each page, which define what the other languages must have. */
export interface Texts {
  common: typeof common;
  charges: typeof charges;
  credit: typeof credit;
  devices: typeof devices;
  keys: typeof keys;
  models: typeof models;
  'operator-accounts': typeof operatorAccounts;
  'operator-audit': typeof operatorAudit;
  'operator-credits': typeof operatorCredits;
  operator: typeof operator;
  'operator-health': typeof operatorHealth;
  'operator-sign-ins': typeof operatorSignIns;
  overview: typeof overview;
  passkeys: typeof passkeys;
  paying: typeof paying;
  playground: typeof playground;
  pulse: typeof pulse;
  'sign-in': typeof signIn;
  statements: typeof statements;
  team: typeof team;
  usage: typeof usage;
  webhooks: typeof webhooks;
  workflows: typeof workflows;
}

/** A text, or one for each plural form (Intl.PluralRules) of its parameter `count`. `{name}` stands for a parameter. */
export type Text = string | { readonly one: string; readonly other: string };
/** The texts of a page in another language: the same keys. */
export type Translated<Page extends keyof Texts> = { readonly [Key in keyof Texts[Page]]: Text };

export type PageName = keyof Texts;
export type TextKey = { [Page in PageName]: `${Page}.${keyof Texts[Page] & string}` }[PageName];

type Named<Of> = Of extends `${string}{${infer Name}}${infer Rest}` ? Name | Named<Rest> : never;
type TextOf<Key> = Key extends `${infer Page extends PageName}.${infer Name}`
  ? Name extends keyof Texts[Page]
    ? Texts[Page][Name]
    : never
  : never;
type ParamsOf<Of> = Of extends string
  ? Named<Of>
  : Of extends { one: infer One; other: infer Other }
    ? 'count' | Named<One> | Named<Other>
    : never;

/** What `t` is given after the key: nothing, or each parameter of the text. */
export type Params<Key extends TextKey> = [ParamsOf<TextOf<Key>>] extends [never]
  ? []
  : [params: { readonly [Name in ParamsOf<TextOf<Key>>]: string | number }];
