import type { Command } from 'commander';

export interface PeppersCommand {
  /** Where the secrets file is. */
  path(): string;
  /** The pepper versions, and the one that new hashes use. */
  read(path: string): { current: number; versions: readonly number[] };
  add(path: string): number;
  use(path: string, version: number): void;
  remove(path: string, version: number): void;
  /** Active keys by the pepper version they are stored under. */
  countByPepper(): Promise<ReadonlyMap<number, number>>;
  write?: (line: string) => void;
}

const restart = 'Restart every node that uses this file.';

/** `peppers`: the keys outside the database with which the stored hashes of API keys are made. */
export function registerPeppers(program: Command, options: PeppersCommand): void {
  const { write = (line) => console.log(line) } = options;
  const peppers = program.command('peppers').description('Replace the pepper of the stored hashes of API keys.');

  peppers
    .command('list')
    .description('The versions, and how many working keys still need each.')
    .action(async () => {
      const { current, versions } = options.read(options.path());
      const counts = await options.countByPepper();
      for (const version of versions)
        write(`${version}\t${counts.get(version) ?? 0} keys${version === current ? '\tcurrent' : ''}`);
    });

  peppers
    .command('add')
    .description('Make a new pepper. It is known from the next start on, and used after "peppers use".')
    .action(() => {
      const version = options.add(options.path());
      write(`Pepper ${version} is added. ${restart} Then run: npm run cli -- peppers use ${version}`);
    });

  peppers
    .command('use <version>')
    .description('Use a pepper for new hashes. Each key takes it when it is next used.')
    .action((text: string) => {
      options.use(options.path(), versionOf(text));
      write(`Pepper ${text} is used for new hashes. ${restart}`);
    });

  peppers
    .command('retire <version>')
    .description('Remove a pepper that no working key needs any more.')
    .action(async (text: string) => {
      const version = versionOf(text);
      const keys = (await options.countByPepper()).get(version) ?? 0;
      if (keys > 0)
        throw new Error(
          `Pepper ${version} can't be retired: ${keys} working key(s) need it. Each takes the current one when it is next used; rotate or revoke those that are not used.`,
        );
      options.remove(options.path(), version);
      write(`Pepper ${version} is retired. ${restart}`);
    });
}

function versionOf(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`"${text}" is not a version: it must be a whole number from 1.`);
  return Number(text);
}
