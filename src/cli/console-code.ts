import type { Command } from 'commander';
import type { Config } from '../config/index.ts';
import type { CodeOwner, SignInCodes } from '../sessions/index.ts';

export interface ConsoleCodeCommand {
  /** Opens the database; `check` returns why this owner cannot sign in, if there is a reason. */
  openCodes(): Promise<{
    codes: Pick<SignInCodes, 'create'>;
    check(owner: CodeOwner): Promise<string | undefined>;
    close(): Promise<void>;
  }>;
  /** The service's address for browsers, without a trailing slash. */
  address(): string;
  write?: (line: string) => void;
}

/** `console-code`: prints a link that signs in to the console once. */
export function registerConsoleCode(program: Command, options: ConsoleCodeCommand): void {
  const { write = (line) => console.log(line) } = options;
  program
    .command('console-code')
    .description('Print a link that signs in to the console: once, within 10 minutes. Anyone who has it can sign in.')
    .option('--account <id>', 'as the owner of this account')
    .option('--operator <name>', 'as this operator, named as in the secrets file ("environment": OPERATOR_TOKEN)')
    .action(async (given: { account?: string; operator?: string }) => {
      const owner = ownerOf(given);
      const { codes, check, close } = await options.openCodes();
      try {
        const problem = await check(owner);
        if (problem !== undefined) throw new Error(problem);
        write(consoleLink(options.address(), await codes.create(owner)));
      } finally {
        await close();
      }
    });
}

/** The code is in the fragment, which browsers never send, so it appears in no log. */
export function consoleLink(address: string, code: string): string {
  return `${address}/console/#code=${code}`;
}

/** The service's address for browsers: on this machine, under the host name that browsers consider secure. */
export function browserAddress({ publicUrl, tls, port }: Pick<Config['http'], 'publicUrl' | 'tls' | 'port'>): string {
  return publicUrl?.replace(/\/+$/, '') ?? `${tls ? 'https' : 'http'}://localhost:${port}`;
}

function ownerOf({ account, operator }: { account?: string; operator?: string }): CodeOwner {
  if (account !== undefined && operator === undefined) return { accountId: account };
  if (operator !== undefined && account === undefined) return { operator };
  throw new Error('Say who signs in: --account acc_..., or --operator NAME.');
}
